//! `bindery typeset`: the process that typesets one PDF, from standard input to standard output.

use std::{io, path::PathBuf};

use anyhow::Context;
use clap::Args;
use print::process;
use rustix::process::{Resource, Rlimit, nice, setrlimit};

#[derive(Debug, Args)]
pub struct Command {
    /// Limit on the data segment of the process, in bytes
    #[arg(long)]
    data_limit: u64,
    /// CPU time that the process may take
    #[arg(long)]
    seconds: u64,
    /// Directory with fonts
    #[arg(long)]
    fonts: Vec<PathBuf>,
}

/// Ends the process at a panic if less than this is left of its memory: it is the cause then, and a backtrace would wait forever for some.
fn abort_without_memory(spare: usize) {
    std::panic::set_hook(Box::new(move |panic| {
        eprintln!("{panic}");
        if Vec::<u8>::new().try_reserve_exact(spare).is_err() {
            std::process::abort();
        }
    }));
}

impl Command {
    pub fn run(&self) -> anyhow::Result<()> {
        let limit_with = |resource, value, maximum| {
            let limit = Rlimit {
                current: Some(value),
                maximum: Some(maximum),
            };
            setrlimit(resource, limit).context("cannot limit the process")
        };
        let limit = |resource, value| limit_with(resource, value, value);
        // At the first limit the process ends with a signal that tells the reason; at the second it would be killed.
        limit_with(Resource::Cpu, self.seconds, self.seconds.saturating_add(5))?;
        limit(Resource::Data, self.data_limit)?;
        limit(Resource::Core, 0)?;
        // Nothing is written but the PDF.
        limit(Resource::Fsize, 0)?;
        abort_without_memory(usize::try_from(self.data_limit / 4)?);
        // Requests come first.
        nice(10).context("cannot lower the priority")?;
        let (mut input, mut output) = (io::stdin().lock(), io::stdout().lock());
        match process::start_threads().and_then(|()| process::run(&mut input, &mut output, &self.fonts)) {
            Ok(_) => Ok(()),
            // Where memory is allocated without a way to fail, the process ends in this way too.
            Err(error) if error.kind() == io::ErrorKind::OutOfMemory => std::process::abort(),
            Err(error) => Err(error.into()),
        }
    }
}
