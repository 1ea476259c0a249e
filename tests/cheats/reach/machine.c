/* machine.c: attempts on the network, devices, and the machine itself */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <stddef.h>
#include <stdint.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/un.h>
#include <unistd.h>

#include "attempts.h"

#define DONE(call) ((call) >= 0 ? 0 : errno)

static int joined(int family, int type, const void *to, socklen_t length)
{
    const int fd = socket(family, type, 0);
    int error;

    if (fd < 0)
        return errno;
    error = DONE(connect(fd, to, length));
    close(fd);
    return error;
}

static int try_tcp(const struct outside *out, long value)
{
    const struct sockaddr_in to = {.sin_family = AF_INET,
                                   .sin_port = htons((uint16_t)out->port),
                                   .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};

    return joined(AF_INET, (int)value, &to, sizeof to);
}

static int try_unix(const struct outside *out, long value)
{
    struct sockaddr_un to = {.sun_family = AF_UNIX};
    int length = snprintf(to.sun_path + !value, sizeof to.sun_path - 1, "%s",
                          value ? outside_path(out, "home/socket") : "reach");

    if (!value)
        length = 1 + snprintf(to.sun_path + 1, 60, "reach.%d", out->key);
    return joined(AF_UNIX, SOCK_STREAM, &to,
                  (socklen_t)(offsetof(struct sockaddr_un, sun_path) +
                              (size_t)length + (value != 0)));
}

/* Not to be had is not there: another errno than that of a refusal. */
static int try_family(const struct outside *out, long value)
{
    const int fd =
        socket((int)value, value == AF_PACKET ? SOCK_RAW : SOCK_DGRAM, 0);

    (void)out;
    if (fd < 0)
        return errno;
    close(fd);
    return 0;
}

static int try_ring(const struct outside *out, long value)
{
    char params[120] = {0};
    const long fd = syscall(425, value, params);

    (void)out;
    return fd < 0 ? errno : (close((int)fd), 0);
}

static const char *const devices[] = {
    "/dev/mem",       "/dev/kmsg",  "/dev/fuse",         "/dev/kvm",
    "/dev/net/tun",   "/dev/ptmx",  "/dev/loop-control", "/dev/vda",
    "/dev/cpu/0/msr", "/dev/rtc0",  "/dev/uinput",       "/dev/console",
    "/dev/vsock",     "/dev/hwrng", "/dev/port"};

static int try_device(const struct outside *out, long value)
{
    const int fd = open(devices[value], O_RDONLY | O_NONBLOCK | O_NOCTTY);

    (void)out;
    return fd < 0 ? errno : (close(fd), 0);
}

static int try_node(const struct outside *out, long value)
{
    int fd, error;

    (void)out;
    unlink("node");
    if (mknod("node", (mode_t)value | 0600, makedev(1, 5)) < 0)
        return errno;
    fd = open("node", O_RDONLY | O_NONBLOCK);
    error = fd < 0 ? errno : 0;
    if (fd >= 0)
        close(fd);
    unlink("node");
    return error;
}

static int try_setting(const struct outside *out, long value)
{
    static const char *const settings[] = {
        "/proc/sys/kernel/hostname", "/proc/sys/vm/drop_caches",
        "/proc/sysrq-trigger",       "/sys/power/state",
        "/sys/kernel/mm/ksm/run",    "/proc/sys/kernel/core_pattern"};
    const int fd = open(settings[value], O_WRONLY);

    (void)out;
    return fd < 0 ? errno : (close(fd), 0);
}

static int try_name(const struct outside *out, long value)
{
    char name[65];

    (void)out;
    (void)value;
    return gethostname(name, 65) < 0 ? errno
                                     : DONE(sethostname(name, strlen(name)));
}

static int try_mount(const struct outside *out, long value)
{
    (void)value;
    if (mount("reach", outside_path(out, "home"), "tmpfs", 0, NULL) < 0)
        return errno;
    return DONE(umount(outside_path(out, "home")));
}

static int try_spaces(const struct outside *out, long value)
{
    (void)out;
    return DONE(unshare((int)value));
}

static int try_join(const struct outside *out, long value)
{
    const int fd = open("/proc/1/ns/mnt", O_RDONLY);
    int error;

    (void)out;
    (void)value;
    if (fd < 0)
        return errno;
    error = DONE(setns(fd, 0));
    close(fd);
    return error;
}

static int try_environment(const struct outside *out, long value)
{
    static const char *const names[] = {"REACH_SECRET", "USER", "SSH_AUTH_SOCK",
                                        "LD_PRELOAD"};

    (void)out;
    return getenv(names[value]) ? 0 : ENOENT;
}

static int try_home(const struct outside *out, long value)
{
    const char *const home = getenv("HOME");
    const size_t length = strlen(out->folder);

    (void)value;
    return home && strncmp(home, out->folder, length) == 0 &&
                   strncmp(home + length, "/tree/", 6) == 0
               ? ENOENT
               : 0;
}

static int try_user(const struct outside *out, long value)
{
    (void)out;
    return value ? DONE(setgid((gid_t)getgid())) : DONE(setuid(getuid()));
}

const struct attempt machine_attempts[] = {
    {"network", "TCP to this machine", try_tcp, SOCK_STREAM},
    {"network", "UDP to this machine", try_tcp, SOCK_DGRAM},
    {"network", "an abstract socket", try_unix, 0},
    {"network", "a socket in a folder", try_unix, 1},
    {"network", "AF_NETLINK", try_family, AF_NETLINK},
    {"network", "AF_PACKET", try_family, AF_PACKET},
    {"network", "AF_VSOCK", try_family, AF_VSOCK},
    {"network", "AF_ALG", try_family, AF_ALG},
    {"network", "AF_INET6", try_family, AF_INET6},
    {"network", "AF_UNIX", try_family, AF_UNIX},
    {"network", "io_uring", try_ring, 4},
    {"devices", "open /dev/mem", try_device, 0},
    {"devices", "open /dev/kmsg", try_device, 1},
    {"devices", "open /dev/fuse", try_device, 2},
    {"devices", "open /dev/kvm", try_device, 3},
    {"devices", "open /dev/net/tun", try_device, 4},
    {"devices", "open /dev/ptmx", try_device, 5},
    {"devices", "open /dev/loop-control", try_device, 6},
    {"devices", "open a disk", try_device, 7},
    {"devices", "open a processor's registers", try_device, 8},
    {"devices", "open the clock", try_device, 9},
    {"devices", "open the keyboard", try_device, 10},
    {"devices", "open the console", try_device, 11},
    {"devices", "open the host's socket", try_device, 12},
    {"devices", "open the random source", try_device, 13},
    {"devices", "open the ports", try_device, 14},
    {"devices", "make a device", try_node, S_IFCHR},
    {"devices", "make a disk", try_node, S_IFBLK},
    {"machine", "write the host's name", try_setting, 0},
    {"machine", "drop the caches", try_setting, 1},
    {"machine", "press SysRq", try_setting, 2},
    {"machine", "put it to sleep", try_setting, 3},
    {"machine", "merge pages", try_setting, 4},
    {"machine", "catch cores", try_setting, 5},
    {"machine", "set the host's name", try_name, 0},
    {"machine", "mount over the home", try_mount, 0},
    {"machine", "join the first process's files", try_join, 0},
    {"machine", "be another user", try_user, 0},
    {"machine", "be another group", try_user, 1},
    {"machine", "namespaces of its own", try_spaces, CLONE_NEWNS},
    {"machine", "users of its own", try_spaces, CLONE_NEWUSER},
    {"environment", "find a secret", try_environment, 0},
    {"environment", "find the user's name", try_environment, 1},
    {"environment", "find the agent of keys", try_environment, 2},
    {"environment", "find the home", try_home, 0},
    {NULL, NULL, NULL, 0},
};
