/*
 * profile.c: reads a device's profile: text, one `key = value` a line.
 *
 * Every key must be there, once, within bounds, and together they must make
 * sense: a profile is hand-made from measurements, and a key that was forgotten
 * must not silently be another device's. A message names the line and what to
 * do about it. Only integers are read, so that no rounding differs between
 * machines.
 */
#include "profile.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "vgpu/input_file.h"

#define PROFILE_FILE_MAX (1 << 20)
#define ANY              INT64_MAX
#define BYTES_PER_S_MAX  (INT64_C(1) << 50)
#define NS_MAX           INT64_C(1000000000000000)

/* A profile is a structure of 64-bit numbers, so that one table of names and
 * offsets reads all of it, and a new key is one line in each. */
struct key {
    const char *name;
    size_t offset;
    int64_t min;
    int64_t max;
    bool may_miss; /* then it is 0, and profile.h says what that means */
};

#define KEY_OF(member, min, max, may_miss)                                     \
    {                                                                          \
#member, offsetof(struct vgpu_profile, member), min, max, may_miss     \
    }
#define KEY(member, min, max) KEY_OF(member, min, max, false)
#define COUNT(member)         KEY(member, 1, INT32_MAX)
#define FLAG(member)          KEY(member, 0, 1)
#define RATE(member)          KEY(member, 1, BYTES_PER_S_MAX)
#define NS(member)            KEY(member, 0, NS_MAX)
#define MAYBE(member)         KEY_OF(member, 0, BYTES_PER_S_MAX, true)

/* Every key but `name`, in the order of the structure. */
static const struct key keys[] = {
    COUNT(compute_major),
    KEY(compute_minor, 0, 99),
    KEY(sms, 1, 1 << 16),
    KEY(max_threads_per_sm, 32, 1 << 16),
    KEY(max_blocks_per_sm, 1, 1 << 16),
    KEY(max_threads_per_block, 32, 1 << 16),
    COUNT(regs_per_sm),
    COUNT(shared_per_sm_bytes),
    COUNT(shared_per_block_bytes),
    KEY(warp_size, 1, 1024),
    KEY(global_mem_bytes, 1, ANY),
    KEY(l2_bytes, 0, INT32_MAX),
    COUNT(clock_khz),
    COUNT(memory_clock_khz),
    COUNT(memory_bus_bits),
    FLAG(unified_addressing),
    KEY(compute_mode, 0, 3),
    KEY_OF(ecc, 0, 1, true),
    MAYBE(pci_device_id),
    MAYBE(pci_subsystem_id),
    MAYBE(gpc_count),
    MAYBE(gpc_sms),
    MAYBE(gpc_wide),
    MAYBE(gpc_rest_sms),
    KEY(copy_engines, 1, 64),
    KEY_OF(pool_piece_bytes, 0, 1 << 30, true),
    KEY(copy_queues, 1, 2),
    COUNT(max_resident_kernels),
    KEY(hardware_queues, 1, 32),
    KEY(default_connections, 1, 32),
    KEY_OF(copy_connections, 0, 32, true),
    FLAG(delayed_signals),
    KEY(batch_commands, 0, 4096),
    NS(batch_submit_ns),
    KEY_OF(prepares_ahead, 0, 1, true),
    COUNT(queue_depth),
    RATE(h2d_bytes_per_s),
    RATE(d2h_bytes_per_s),
    MAYBE(kernel_reads_bytes_per_s),
    MAYBE(kernel_writes_bytes_per_s),
    KEY(duplex_permille, 1, 1000),
    KEY(beside_writes_permille, 1, 1000),
    RATE(pageable_h2d_bytes_per_s),
    RATE(pageable_d2h_bytes_per_s),
    MAYBE(staging_bytes),
    MAYBE(staging_small_bytes),
    RATE(d2d_bytes_per_s),
    RATE(peer_bytes_per_s),
    RATE(peer_staged_bytes_per_s),
    FLAG(peer_possible),
    RATE(host_h2d_bytes_per_s),
    RATE(host_d2h_bytes_per_s),
    RATE(host_duplex_bytes_per_s),
    NS(h2d_queued_ns),
    NS(d2h_queued_ns),
    NS(h2d_idle_ns),
    NS(d2h_idle_ns),
    MAYBE(h2d_inline_ns),
    MAYBE(copy_kernel_ns),
    MAYBE(row_h2d_ps),
    MAYBE(row_h2d_narrow_ps),
    MAYBE(row_d2h_ps),
    MAYBE(row_d2d_ps),
    MAYBE(row_odd_ps),
    NS(duplex_fixed_ns),
    MAYBE(duplex_fixed_permille),
    NS(handoff_ns),
    MAYBE(d2h_handoff_ns),
    COUNT(sm_ops_per_us),
    COUNT(thread_ops_per_us),
    KEY(sm_knee_permille, 501, 1000),
    COUNT(sm_slots_per_us),
    COUNT(double_slots),
    RATE(memory_bytes_per_s),
    MAYBE(l2_bytes_per_s),
    MAYBE(blocks_per_us),
    NS(kernel_fixed_ns),
    NS(kernel_idle_ns),
    NS(kernel_gap_ns),
    NS(host_launch_ns),
    NS(host_copy_async_ns),
    MAYBE(host_inline_bytes),
    MAYBE(host_inline_ns),
    MAYBE(host_inline_bytes_per_s),
    NS(host_event_record_ns),
    MAYBE(host_event_mark_ns),
    NS(host_stream_wait_ns),
    NS(host_stream_create_ns),
    NS(host_stream_destroy_ns),
    NS(host_sync_ns),
    NS(host_query_ns),
    NS(host_malloc_ns),
    NS(host_free_ns),
    NS(host_malloc_host_ns_per_mib),
    NS(host_register_ns_per_mib),
    MAYBE(host_malloc_host_ns),
    MAYBE(host_free_host_ns),
    MAYBE(host_free_host_ns_per_mib),
    MAYBE(host_unregister_ns_per_mib),
    MAYBE(host_function_ns),
    MAYBE(host_wake_ns),
    NS(host_call_ns),
    NS(host_first_call_ns),
    COUNT(host_ops_per_us),
    RATE(host_memcpy_bytes_per_s),
    NS(event_tick_ns),
    MAYBE(event_gap_ns),
    NS(unit_ns),
};

enum { KEY_COUNT = sizeof keys / sizeof keys[0] };

struct parser {
    struct vgpu_profile *profile;
    int seen_at[KEY_COUNT]; /* line number, 0: not yet */
    int name_at;
    int line;
    char *message;
    int size;
};

/* Messages are for whoever asks: a caller that wants none passes no room. */
static void say(char *message, int size, const char *format, ...)
{
    va_list args;

    if (!message || size <= 0)
        return;
    va_start(args, format);
    vsnprintf(message, (size_t)size, format, args);
    va_end(args);
}

/* The part of [@from, @end) without spaces around it. */
static const char *trim(const char *from, const char **end)
{
    while (from < *end && isspace((unsigned char)*from))
        from++;
    while (*end > from && isspace((unsigned char)(*end)[-1]))
        (*end)--;
    return from;
}

/*
 * Decimal digits, `_` allowed between them as in 55_400_000_000.
 * Return: true, or false for anything else or a number over 63 bits.
 */
static bool read_integer(const char *from, const char *end, int64_t *value)
{
    int64_t sum = 0;
    bool digit_before = false;

    for (; from < end; from++) {
        if (*from == '_' && digit_before && from + 1 < end) {
            digit_before = false;
            continue;
        }
        if (!isdigit((unsigned char)*from))
            return false;
        if (sum > (INT64_MAX - (*from - '0')) / 10)
            return false;
        sum = sum * 10 + (*from - '0');
        digit_before = true;
    }
    *value = sum;
    return digit_before;
}

static int find_key(const char *name, size_t length)
{
    for (int i = 0; i < KEY_COUNT; i++) {
        if (strlen(keys[i].name) == length &&
            memcmp(keys[i].name, name, length) == 0)
            return i;
    }
    return -1;
}

static enum vgpu_profile_error repeated(const struct parser *p, const char *key,
                                        int first_line)
{
    say(p->message, p->size,
        "line %d: '%s' is already set on line %d: remove one of the two",
        p->line, key, first_line);
    return VGPU_PROFILE_REPEATED_KEY;
}

/* The one value that is text: it is what cudaGetDeviceProperties gives as the
 * device's name. */
static enum vgpu_profile_error set_name(struct parser *p, const char *value,
                                        const char *end)
{
    size_t length = (size_t)(end - value);

    if (p->name_at != 0)
        return repeated(p, "name", p->name_at);
    if (length == 0 || length >= sizeof p->profile->name) {
        say(p->message, p->size, "line %d: 'name' needs 1 to %d characters",
            p->line, VGPU_PROFILE_NAME_MAX - 1);
        return VGPU_PROFILE_BAD_VALUE;
    }
    memcpy(p->profile->name, value, length);
    p->profile->name[length] = '\0';
    p->name_at = p->line;
    return VGPU_PROFILE_OK;
}

/* A key that stands twice is an error: which of the two was meant cannot be
 * known. */
static enum vgpu_profile_error set_number(struct parser *p, int key,
                                          const char *value, const char *end)
{
    const struct key *k = &keys[key];
    int64_t number;

    if (p->seen_at[key] != 0)
        return repeated(p, k->name, p->seen_at[key]);
    if (!read_integer(value, end, &number) || number < k->min ||
        number > k->max) {
        say(p->message, p->size,
            "line %d: '%s' is '%.*s': give a whole number from %" PRId64
            " to %" PRId64,
            p->line, k->name, (int)(end - value), value, k->min, k->max);
        return VGPU_PROFILE_BAD_VALUE;
    }
    memcpy((char *)p->profile + k->offset, &number, sizeof number);
    p->seen_at[key] = p->line;
    return VGPU_PROFILE_OK;
}

/* One line, without its comment and its end. */
static enum vgpu_profile_error parse_line(struct parser *p, const char *from,
                                          const char *end)
{
    const char *equals;
    const char *key_end;
    const char *value;
    int key;

    from = trim(from, &end);
    if (from == end)
        return VGPU_PROFILE_OK;
    equals = memchr(from, '=', (size_t)(end - from));
    if (!equals || equals == from) {
        say(p->message, p->size,
            "line %d: '%.*s' is not 'key = value': write it so, or start the "
            "line with '#'",
            p->line, (int)(end - from), from);
        return VGPU_PROFILE_SYNTAX;
    }
    key_end = equals;
    from = trim(from, &key_end);
    value = trim(equals + 1, &end);
    if (key_end - from == 4 && memcmp(from, "name", 4) == 0)
        return set_name(p, value, end);
    key = find_key(from, (size_t)(key_end - from));
    if (key < 0) {
        say(p->message, p->size,
            "line %d: unknown key '%.*s': correct or remove it (the keys are "
            "in vgpu/time/profile.h)",
            p->line, (int)(key_end - from), from);
        return VGPU_PROFILE_UNKNOWN_KEY;
    }
    return set_number(p, key, value, end);
}

/* The first that is missing is named; a list of forty would hide it. */
static enum vgpu_profile_error check_all_seen(const struct parser *p)
{
    const char *missing = p->name_at == 0 ? "name" : NULL;
    int count = missing ? 1 : 0;

    for (int i = 0; i < KEY_COUNT; i++) {
        if (p->seen_at[i] != 0 || keys[i].may_miss)
            continue;
        if (!missing)
            missing = keys[i].name;
        count++;
    }
    if (count == 0)
        return VGPU_PROFILE_OK;
    say(p->message, p->size,
        "line %d: the file ends without '%s'%s: add '%s = ...'", p->line,
        missing, count > 1 ? " (and other keys)" : "", missing);
    return VGPU_PROFILE_MISSING_KEY;
}

/* Values that are right each by itself but not together. */
static enum vgpu_profile_error check_together(const struct parser *p)
{
    const struct vgpu_profile *f = p->profile;
    const char *wrong = NULL;

    if (f->default_connections > f->hardware_queues)
        wrong = "'default_connections' must not exceed 'hardware_queues'";
    else if (f->copy_queues > f->copy_engines)
        wrong = "'copy_queues' must not exceed 'copy_engines'";
    else if (f->max_threads_per_block > f->max_threads_per_sm)
        wrong = "'max_threads_per_block' must not exceed "
                "'max_threads_per_sm'";
    else if (f->shared_per_block_bytes > f->shared_per_sm_bytes)
        wrong = "'shared_per_block_bytes' must not exceed "
                "'shared_per_sm_bytes'";
    else if (f->max_threads_per_sm % f->warp_size != 0)
        wrong = "'max_threads_per_sm' must be a multiple of 'warp_size'";
    else if (f->h2d_idle_ns < f->h2d_queued_ns ||
             f->d2h_idle_ns < f->d2h_queued_ns)
        wrong = "a copy's '_idle_ns' must not be below its '_queued_ns'";
    else if (f->host_inline_bytes > 0 && f->host_inline_bytes_per_s == 0)
        wrong = "'host_inline_bytes' needs 'host_inline_bytes_per_s'";
    else if (f->kernel_idle_ns < f->kernel_fixed_ns)
        wrong = "'kernel_idle_ns' must not be below 'kernel_fixed_ns'";
    if (!wrong)
        return VGPU_PROFILE_OK;
    say(p->message, p->size, "line %d: %s: change one of the two", p->line,
        wrong);
    return VGPU_PROFILE_BAD_VALUE;
}

/* What follows a # is nobody's business, also behind a value. The first error
 * ends it: those behind it may be its consequences. */
enum vgpu_profile_error vgpu_profile_parse(const char *text,
                                           struct vgpu_profile *profile,
                                           char *message, int size)
{
    struct parser parser = {
        .profile = profile, .message = message, .size = size};
    enum vgpu_profile_error error;

    memset(profile, 0, sizeof *profile);
    while (*text != '\0') {
        const char *line_end = text + strcspn(text, "\n");
        const char *end = memchr(text, '#', (size_t)(line_end - text));

        parser.line++;
        error = parse_line(&parser, text, end ? end : line_end);
        if (error != VGPU_PROFILE_OK)
            return error;
        text = *line_end == '\n' ? line_end + 1 : line_end;
    }
    error = check_all_seen(&parser);
    if (error == VGPU_PROFILE_OK)
        error = check_together(&parser);
    return error;
}

/* Whole file as a string to free, or NULL with the reason in errno. */
static char *read_file(const char *path)
{
    FILE *file = input_file_read(path, PROFILE_FILE_MAX);
    char *text;
    size_t length;

    if (!file)
        return NULL;
    text = malloc(PROFILE_FILE_MAX + 1);
    if (!text)
        goto out_close;
    errno = 0;
    length = fread(text, 1, PROFILE_FILE_MAX + 1, file);
    if (ferror(file) || length > PROFILE_FILE_MAX) {
        if (!ferror(file))
            errno = EFBIG;
        free(text);
        text = NULL;
        goto out_close;
    }
    text[length] = '\0';
out_close:
    fclose(file);
    return text;
}

/* A name that is misspelt is the usual mistake, so the names that there are
 * follow. */
static void say_not_found(const char *name, char *message, int size)
{
    int used;

    if (!message || size <= 0)
        return;
    used = snprintf(message, (size_t)size,
                    "no device profile or file '%s' (%s); the profiles are",
                    name, input_file_words(errno));
    for (int i = 0; vgpu_profile_names[i]; i++) {
        if (used < 0 || used >= size)
            return;
        used += snprintf(message + used, (size_t)(size - used), "%s %s",
                         i > 0 ? "," : "", vgpu_profile_names[i]);
    }
}

/* Put the file's name in front of a message about one of its lines. */
static void name_file(const char *path, char *message, int size)
{
    char rest[256];

    if (!message || size <= 0)
        return;
    snprintf(rest, sizeof rest, "%s", message);
    snprintf(message, (size_t)size, "profile %s, %s", path, rest);
}

/* Built-in profiles go before files of the same name: a file called h200 in the
 * current folder must not change what a grade was made on. */
static enum vgpu_profile_error load_whole(const char *name,
                                          struct vgpu_profile *profile,
                                          char *message, int size)
{
    enum vgpu_profile_error error;
    char *text;

    for (int i = 0; vgpu_profile_names[i]; i++)
        if (strcmp(vgpu_profile_names[i], name) == 0)
            return vgpu_profile_parse(vgpu_profile_texts[i], profile, message,
                                      size);
    text = read_file(name);
    if (!text)
        return VGPU_PROFILE_NOT_FOUND;
    error = vgpu_profile_parse(text, profile, message, size);
    free(text);
    return error;
}

/* ":sms=27:name=GPU", of a profile that is known. */
static enum vgpu_profile_error change(const char *changes,
                                      struct vgpu_profile *profile,
                                      char *message, int size)
{
    struct parser parser = {
        .profile = profile, .message = message, .size = size, .line = 1};
    enum vgpu_profile_error error = VGPU_PROFILE_OK;

    while (*changes == ':' && error == VGPU_PROFILE_OK) {
        const char *const from = changes + 1;

        changes = from + strcspn(from, ":");
        error = parse_line(&parser, from, changes);
    }
    return error == VGPU_PROFILE_OK ? check_together(&parser) : error;
}

enum vgpu_profile_error vgpu_profile_load(const char *name_or_path,
                                          struct vgpu_profile *profile,
                                          char *message, int size)
{
    const char *const whole =
        name_or_path && *name_or_path ? name_or_path : "h200";
    const int length = (int)strcspn(whole, ":");
    enum vgpu_profile_error error;
    char name[PATH_MAX];

    snprintf(name, sizeof name, "%.*s", length, whole);
    error = load_whole(name, profile, message, size);
    if (error == VGPU_PROFILE_OK)
        error = change(whole + length, profile, message, size);
    if (error == VGPU_PROFILE_NOT_FOUND)
        say_not_found(name, message, size);
    else if (error != VGPU_PROFILE_OK)
        name_file(whole, message, size);
    return error;
}
