//! `bindery generate`: the files of a package that follow from the command line.

use std::{fs, path::PathBuf};

use anyhow::Context;
use clap::Args;
use clap_complete::{Shell, generate_to};

use super::private_files;

const PROGRAM: &str = "bindery";

#[derive(Debug, Args)]
pub struct Command {
    /// Where to write the completions of shells and the manual pages
    directory: PathBuf,
}

impl Command {
    pub fn run(&self, mut command_line: clap::Command) -> anyhow::Result<()> {
        private_files::end();
        fs::create_dir_all(&self.directory)
            .and_then(|()| {
                clap_mangen::generate_to(command_line.clone(), &self.directory)?;
                for shell in [Shell::Bash, Shell::Fish, Shell::Zsh] {
                    generate_to(shell, &mut command_line, PROGRAM, &self.directory)?;
                }
                Ok(())
            })
            .with_context(|| format!("cannot write to {}", self.directory.display()))
    }
}
