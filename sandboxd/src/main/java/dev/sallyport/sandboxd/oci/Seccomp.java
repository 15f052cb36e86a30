package dev.sallyport.sandboxd.oci;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sallyport.sandboxd.wire.Lines;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/**
 * The system calls of guests: those that are listed, and no others. One that is not gets {@code ENOSYS}, so that programs
 * fall back as on an older kernel. Only the machine's own table of calls is open: neither that of 32 bits nor x32.
 *
 * <p>Not among them: what makes or enters namespaces ({@code clone} is let through without their flags, {@code clone3},
 * whose flags a filter cannot see, not at all), mounts, keyrings, BPF, io_uring, performance events, userfaultfd, modules,
 * kexec, file handles, clocks, swap, quotas.
 */
final class Seccomp {

    private static final int ENOSYS = 38;
    private static final int EPROTONOSUPPORT = 93;

    /** CLONE_NEWNS, NEWCGROUP, NEWUTS, NEWIPC, NEWUSER, NEWPID and NEWNET. */
    private static final long NAMESPACES = 0x7E02_0000L;

    private static final int UNIX = 1;
    private static final int NETLINK = 16;
    private static final int AUDIT = 9;

    /** The families and protocols of other sockets: ICMP, TCP and UDP, and of netlink routes and the list of sockets. */
    private static final Map<Integer, List<Integer>> PROTOCOLS =
            new TreeMap<>(Map.of(2, List.of(0, 1, 6, 17, 58), 10, List.of(0, 1, 6, 17, 58), NETLINK, List.of(0, 4)));

    /** What personality may be asked for: Linux, what it is, and the same without randomised addresses for debuggers. */
    private static final List<Long> PERSONALITIES = List.of(0L, 0xFFFF_FFFFL, 0x4_0000L);

    private static final String CALLS = """
            accept accept4 access adjtimex alarm arch_prctl bind brk cachestat capget capset chdir chmod chown chroot
            clock_getres clock_gettime clock_nanosleep close close_range connect copy_file_range creat dup dup2 dup3
            epoll_create epoll_create1 epoll_ctl epoll_pwait epoll_pwait2 epoll_wait eventfd eventfd2 execve execveat exit
            exit_group faccessat faccessat2 fadvise64 fallocate fchdir fchmod fchmodat fchmodat2 fchown fchownat fcntl
            fdatasync fgetxattr flistxattr flock fork fremovexattr fsetxattr fstat fstatfs fsync ftruncate futex
            futex_requeue futex_wait futex_waitv futex_wake futimesat getcpu getcwd getdents getdents64 getegid geteuid
            getgid getgroups getitimer getpeername getpgid getpgrp getpid getppid getpriority getrandom getresgid getresuid
            getrlimit getrusage getsid getsockname getsockopt get_robust_list gettid gettimeofday getuid getxattr
            inotify_add_watch inotify_init inotify_init1 inotify_rm_watch io_cancel io_destroy io_getevents io_pgetevents
            io_setup io_submit ioctl ioprio_get ioprio_set kill landlock_add_rule landlock_create_ruleset
            landlock_restrict_self lchown lgetxattr link linkat listen listxattr llistxattr lremovexattr lseek lsetxattr
            lstat madvise map_shadow_stack membarrier memfd_create memfd_secret mincore mkdir mkdirat mknod mknodat mlock
            mlock2 mlockall mmap mprotect mq_getsetattr mq_notify mq_open mq_timedreceive mq_timedsend mq_unlink mremap
            mseal msgctl msgget msgrcv msgsnd msync munlock munlockall munmap nanosleep newfstatat open openat openat2
            pause pidfd_getfd pidfd_open pidfd_send_signal pipe pipe2 pkey_alloc pkey_free pkey_mprotect poll ppoll prctl
            pread64 preadv preadv2 prlimit64 process_madvise process_mrelease process_vm_readv process_vm_writev pselect6
            ptrace pwrite64 pwritev pwritev2 read readahead readlink readlinkat readv recvfrom recvmmsg recvmsg
            remap_file_pages removexattr rename renameat renameat2 restart_syscall rmdir rseq rt_sigaction rt_sigpending
            rt_sigprocmask rt_sigqueueinfo rt_sigreturn rt_sigsuspend rt_sigtimedwait rt_tgsigqueueinfo
            sched_get_priority_max sched_get_priority_min sched_getaffinity sched_getattr sched_getparam
            sched_getscheduler sched_rr_get_interval sched_setaffinity sched_setattr sched_setparam sched_setscheduler
            sched_yield seccomp select semctl semget semop semtimedop sendfile sendmmsg sendmsg sendto set_robust_list
            set_tid_address setfsgid setfsuid setgid setgroups setitimer setpgid setpriority setregid setresgid setresuid
            setreuid setrlimit setsid setsockopt setuid setxattr shmat shmctl shmdt shmget shutdown sigaltstack signalfd
            signalfd4 socketpair splice stat statfs statx symlink symlinkat sync sync_file_range syncfs sysinfo tee tgkill
            time timer_create timer_delete timer_getoverrun timer_gettime timer_settime timerfd_create timerfd_gettime
            timerfd_settime times tkill truncate umask uname unlink unlinkat utime utimensat utimes vfork vmsplice wait4
            waitid write writev
            """;

    private Seccomp() {}

    /** The part of a container's configuration. */
    static ObjectNode profile() {
        ObjectNode profile =
                Lines.object().put("defaultAction", "SCMP_ACT_ERRNO").put("defaultErrnoRet", ENOSYS);
        profile.putArray("architectures").add(architecture());
        ArrayNode calls = profile.putArray("syscalls");
        allow(calls, List.of(CALLS.strip().split("\\s+")));
        argument(allow(calls, List.of("clone")), new Condition(0, NAMESPACES, 0L, "SCMP_CMP_MASKED_EQ"));
        argument(allow(calls, List.of("socket")), Condition.equal(0, UNIX));
        PROTOCOLS.forEach((family, protocols) -> protocols.forEach(protocol ->
                argument(allow(calls, List.of("socket")), Condition.equal(0, family), Condition.equal(2, protocol))));
        // What says that the kernel has no audit: sshd, useradd and others go on then, and end where it fails
        // otherwise.
        argument(
                entry(calls, "SCMP_ACT_ERRNO", List.of("socket")).put("errnoRet", EPROTONOSUPPORT),
                Condition.equal(0, NETLINK),
                Condition.equal(2, AUDIT));
        for (long persona : PERSONALITIES) {
            argument(allow(calls, List.of("personality")), Condition.equal(0, persona));
        }
        return profile;
    }

    private record Condition(int index, long value, long second, String operation) {

        static Condition equal(int index, long value) {
            return new Condition(index, value, 0, "SCMP_CMP_EQ");
        }
    }

    private static ObjectNode allow(ArrayNode calls, List<String> names) {
        return entry(calls, "SCMP_ACT_ALLOW", names);
    }

    private static ObjectNode entry(ArrayNode calls, String action, List<String> names) {
        ObjectNode entry = calls.addObject().put("action", action);
        ArrayNode all = entry.putArray("names");
        names.forEach(all::add);
        return entry;
    }

    /** A call with arguments that meet all of these conditions. */
    private static void argument(ObjectNode entry, Condition... conditions) {
        ArrayNode all = entry.putArray("args");
        for (Condition condition : conditions) {
            all.addObject()
                    .put("index", condition.index())
                    .put("value", condition.value())
                    .put("valueTwo", condition.second())
                    .put("op", condition.operation());
        }
    }

    private static String architecture() {
        String name = System.getProperty("os.arch", "").toLowerCase(Locale.ROOT);
        return "aarch64".equals(name) ? "SCMP_ARCH_AARCH64" : "SCMP_ARCH_X86_64";
    }
}
