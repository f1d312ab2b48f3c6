/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "noslip/status.h"

#define AS_CASE(name, value, text) \
    case name: return text;

const char *noslip_status_text(noslip_status status)
{
    switch (status) {
        NOSLIP_STATUS_LIST(AS_CASE)
    }
    return "unknown status";
}
