//! What a child may take from the system.

use std::{io, time::Duration};

use rustix::{
    process::{Resource, Rlimit, getrlimit, nice, setrlimit},
    time::{ClockId, clock_gettime},
};

use crate::Limits;

/// CPU time in seconds after which the system ends a process that does not come back from native code.
const NATIVE_SECONDS: u64 = 3;

/// Requests of the server come first.
const PRIORITY: i32 = 10;

/// CPU time that this process has taken.
pub fn cpu_time() -> Duration {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    let (seconds, nanoseconds) = (u64::try_from(time.tv_sec), u32::try_from(time.tv_nsec));
    Duration::new(seconds.unwrap_or_default(), nanoseconds.unwrap_or_default())
}

/// Limits the process for good.
pub fn enter(limits: &Limits) -> io::Result<()> {
    let limit = |resource, value| {
        let limit = Rlimit {
            current: Some(value),
            maximum: Some(value),
        };
        setrlimit(resource, limit)
    };
    limit(Resource::Core, 0)?;
    limit(Resource::Fsize, 0)?;
    // Standard input, output and error.
    limit(Resource::Nofile, 3)?;
    limit(Resource::Data, limits.process_memory)?;
    nice(PRIORITY)?;
    extend_cpu()?;
    filter()
}

/// Gives the process CPU time for the next slice: a loop in native code ends by a signal.
pub fn extend_cpu() -> io::Result<()> {
    let used = cpu_time().as_secs();
    let limit = getrlimit(Resource::Cpu);
    if limit.current.is_some_and(|current| current >= used + NATIVE_SECONDS) {
        return Ok(());
    }
    let limit = Rlimit {
        current: Some(used + NATIVE_SECONDS + 1),
        maximum: limit.maximum,
    };
    Ok(setrlimit(Resource::Cpu, limit)?)
}

#[cfg(not(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64"))))]
fn filter() -> io::Result<()> {
    Ok(())
}

/// Lets the process read, write, wait, and take memory; anything else ends it.
#[cfg(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64")))]
fn filter() -> io::Result<()> {
    use std::collections::BTreeMap;

    use seccompiler::{
        BackendError, BpfProgram, SeccompAction, SeccompCmpArgLen as Length, SeccompCmpOp as Operator,
        SeccompCondition as Condition, SeccompFilter, SeccompRule,
    };

    let failed = |error: BackendError| io::Error::other(error.to_string());
    let equals = |argument, value| Condition::new(argument, Length::Dword, Operator::Eq, value);
    let not_executable = || Condition::new(2, Length::Dword, Operator::MaskedEq(EXECUTABLE), 0);
    let rule = |condition: Result<Condition, BackendError>| -> Result<Vec<SeccompRule>, BackendError> {
        Ok(vec![SeccompRule::new(vec![condition?])?])
    };
    let mut rules: BTreeMap<i64, Vec<SeccompRule>> = CALLS.iter().map(|call| (*call, Vec::new())).collect();
    let process = std::process::id();
    for (call, allowed) in [
        (libc::SYS_mmap, rule(not_executable())),
        (libc::SYS_mprotect, rule(not_executable())),
        // Of itself, in `extend_cpu` and in `abort`.
        (libc::SYS_prlimit64, rule(equals(1, libc::RLIMIT_CPU as u64))),
        (libc::SYS_tgkill, rule(equals(0, process.into()))),
        // The allocator names its memory.
        (libc::SYS_prctl, rule(equals(0, PR_SET_VMA))),
    ] {
        rules.insert(call, allowed.map_err(failed)?);
    }
    let arch = std::env::consts::ARCH.try_into().map_err(failed)?;
    let filter = SeccompFilter::new(rules, SeccompAction::KillProcess, SeccompAction::Allow, arch).map_err(failed)?;
    let program = BpfProgram::try_from(filter).map_err(failed)?;
    seccompiler::apply_filter_all_threads(&program).map_err(|error| io::Error::other(error.to_string()))
}

#[cfg(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64")))]
const EXECUTABLE: u64 = 4;

#[cfg(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64")))]
const PR_SET_VMA: u64 = 0x5356_4d41;

/// Calls that are allowed with any arguments.
#[cfg(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64")))]
const CALLS: &[i64] = &[
    libc::SYS_brk,
    libc::SYS_clock_gettime,
    libc::SYS_exit,
    libc::SYS_exit_group,
    libc::SYS_futex,
    libc::SYS_getcpu,
    libc::SYS_getpid,
    libc::SYS_getrandom,
    libc::SYS_getrusage,
    libc::SYS_gettid,
    libc::SYS_madvise,
    libc::SYS_mremap,
    libc::SYS_munmap,
    libc::SYS_ppoll,
    libc::SYS_read,
    libc::SYS_rt_sigaction,
    libc::SYS_rt_sigprocmask,
    libc::SYS_rt_sigreturn,
    libc::SYS_sched_yield,
    libc::SYS_sigaltstack,
    libc::SYS_write,
    libc::SYS_writev,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_poll,
];

#[cfg(all(test, target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64")))]
mod tests {
    use std::{fs::File, net::TcpStream, os::unix::process::ExitStatusExt, process::Command, thread};

    use super::enter;
    use crate::Limits;

    /// The signal of a call that is not allowed.
    const SIGSYS: i32 = 31;

    /// Runs an ignored test below in a process of its own, and returns the signal that ended it.
    fn killed_by(test: &str) -> Option<i32> {
        let name = format!("child::sandbox::tests::{test}");
        let mut command = Command::new(std::env::current_exe().ok()?);
        command.args(["--exact", "--ignored", &name]);
        command.output().ok()?.status.signal()
    }

    #[test]
    fn files_sockets_programs_and_threads_are_out_of_reach() {
        for test in [
            "opens_a_file",
            "connects",
            "starts_a_program",
            "starts_a_thread",
            "kills",
        ] {
            assert_eq!(killed_by(test), Some(SIGSYS), "{test}");
        }
    }

    #[test]
    #[ignore = "ends its process"]
    fn opens_a_file() {
        enter(&Limits::default()).unwrap();
        drop(File::open("/etc/hostname"));
    }

    #[test]
    #[ignore = "ends its process"]
    fn connects() {
        enter(&Limits::default()).unwrap();
        drop(TcpStream::connect("127.0.0.1:9"));
    }

    #[test]
    #[ignore = "ends its process"]
    fn starts_a_program() {
        enter(&Limits::default()).unwrap();
        drop(Command::new("/bin/true").status());
    }

    #[test]
    #[ignore = "ends its process"]
    fn starts_a_thread() {
        enter(&Limits::default()).unwrap();
        drop(thread::Builder::new().spawn(|| ()));
    }

    #[test]
    #[ignore = "ends its process"]
    fn kills() {
        enter(&Limits::default()).unwrap();
        let _ = rustix::process::test_kill_process(rustix::process::getppid().unwrap());
    }
}
