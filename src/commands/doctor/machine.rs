//! Clock, memory, files and disk of the machine.

use std::path::Path;

use anyhow::{Context, bail};
use chrono::{DateTime, SecondsFormat, Utc};
use platform::db::Clock;
use rustix::{
    fs::{StatVfs, statvfs},
    process::{Resource, getrlimit},
};

use super::Finding;

/// No process of this version runs before its release; an earlier time means a wrong clock.
const EARLIEST: &str = "2026-01-01T00:00:00Z";

/// Files that the server has open besides connections of clients: of the database, of the file store, of its processes.
const OTHER_FILES: u64 = 1024;

const MIB: u64 = 1024 * 1024;
/// With less free space, writes may fail soon.
const MIN_DISK: u64 = 100 * MIB;
const LITTLE_DISK: u64 = 2048 * MIB;
const MIN_INODES: u64 = 1000;

pub fn clock() -> anyhow::Result<Finding> {
    let now = Clock::system().now().to_utc();
    let earliest: DateTime<Utc> = EARLIEST.parse()?;
    if now < earliest {
        bail!("the system clock shows {now}, which is before the release of this version; set the clock");
    }
    Ok(Finding::Fine(now.to_rfc3339_opts(SecondsFormat::Secs, true)))
}

/// The memory of the machine or of the container, in bytes. `None`: unknown.
#[cfg(target_os = "linux")]
pub fn total_memory() -> Option<u64> {
    let info = rustix::system::sysinfo();
    let machine = info.totalram.checked_mul(info.mem_unit.into())?;
    let limit = std::fs::read_to_string("/sys/fs/cgroup/memory.max").unwrap_or_default();
    Some(limit.trim().parse().map_or(machine, |limit: u64| limit.min(machine)))
}

#[cfg(not(target_os = "linux"))]
pub fn total_memory() -> Option<u64> {
    None
}

/// Compares BINDERY_MEMORY, and the memory of the processes that make PDFs, with what there is.
pub fn memory(server: usize, children: usize, total: Option<u64>) -> anyhow::Result<Finding> {
    let (server, children) = (u64::try_from(server)?, u64::try_from(children)?);
    let allowed = format!("the server may take {} MiB", server / MIB);
    let Some(total) = total else {
        return Ok(Finding::Fine(allowed));
    };
    let there = format!("of {} MiB", total / MIB);
    if server > total {
        bail!("{allowed} {there}: the system would end it; lower BINDERY_MEMORY");
    }
    if server.saturating_add(children) > total {
        return Ok(Finding::Warning(format!(
            "{allowed} {there}, and its processes for PDFs {} MiB more; lower BINDERY_MEMORY or BINDERY_PDF_MEMORY",
            children / MIB
        )));
    }
    Ok(Finding::Fine(format!("{allowed} {there}")))
}

/// Compares the open files that a process may have with the connections that it is to take.
pub fn open_files(connections: usize) -> Finding {
    let connections = u64::try_from(connections).unwrap_or(u64::MAX);
    let text = |files| format!("a process may have {files} files open, for {connections} connections");
    match getrlimit(Resource::Nofile).current {
        None => Finding::Fine("a process may have any number of files open".to_owned()),
        Some(files) if files >= connections.saturating_add(OTHER_FILES) => Finding::Fine(text(files)),
        Some(files) => Finding::Warning(format!(
            "{}: raise the limit of the server (ulimit -n, LimitNOFILE=), or lower BINDERY_MAX_CONNECTIONS",
            text(files)
        )),
    }
}

/// The free space where the data directory is, or will be.
pub fn disk(directory: &Path) -> anyhow::Result<Finding> {
    let existing = directory.ancestors().find(|directory| directory.exists());
    let existing = existing.unwrap_or(Path::new("."));
    let statistics =
        statvfs(existing).with_context(|| format!("cannot find out how full {} is", existing.display()))?;
    room(existing, &statistics)
}

pub fn room(directory: &Path, statistics: &StatVfs) -> anyhow::Result<Finding> {
    let free = statistics.f_bavail.saturating_mul(statistics.f_frsize);
    let text = format!("{} MiB are free in {}", free / MIB, directory.display());
    // Some file systems do not count inodes.
    if statistics.f_files > 0 && statistics.f_favail < MIN_INODES {
        bail!(
            "{text}, but only {} inodes: no files can be created soon",
            statistics.f_favail
        );
    }
    match free {
        0..MIN_DISK => bail!("{text}: writes fail soon"),
        MIN_DISK..LITTLE_DISK => Ok(Finding::Warning(text)),
        _ => Ok(Finding::Fine(text)),
    }
}
