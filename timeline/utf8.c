/* utf8.c: characters of a text that nobody has checked (RFC 3629) */
#include "utf8.h"

size_t tl_utf8_length(const char *text, size_t room)
{
    const unsigned char *b = (const unsigned char *)text;
    size_t len;

    if (room == 0 || b[0] < 0x80)
        return room > 0;
    len = b[0] < 0xe0 ? 2 : b[0] < 0xf0 ? 3 : 4;
    if (b[0] < 0xc2 || b[0] > 0xf4 || room < len)
        return 0;
    /* One after the other: the first that is wrong may be the text's end. */
    for (size_t i = 1; i < len; i++)
        if ((b[i] & 0xc0) != 0x80)
            return 0;
    /* The second byte tells what is too long (E0, F0), a surrogate (ED), or
     * beyond the last character (F4). */
    if ((b[0] == 0xe0 && b[1] < 0xa0) || (b[0] == 0xed && b[1] > 0x9f) ||
        (b[0] == 0xf0 && b[1] < 0x90) || (b[0] == 0xf4 && b[1] > 0x8f))
        return 0;
    return len;
}
