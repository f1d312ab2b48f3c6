/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Give the target every file of the folders named on the command line. */
static void replay_file(const char *path)
{
    static uint8_t data[1 << 20];
    FILE *f = fopen(path, "rb");
    if (!f) return;
    size_t n = fread(data, 1, sizeof data, f);
    fclose(f);
    LLVMFuzzerTestOneInput(data, n);
}

int main(int count, char **folder)
{
    int files = 0;
    for (int k = 1; k < count; k++) {
        DIR *d = opendir(folder[k]);
        for (const struct dirent *e; d && (e = readdir(d)) != NULL;) {
            char path[1000];
            if (e->d_name[0] == '.') continue;
            snprintf(path, sizeof path, "%s/%s", folder[k], e->d_name);
            replay_file(path);
            files++;
        }
        if (d) closedir(d);
    }
    printf("%d files\n", files);
    return files ? 0 : 1;
}
