//! The launcher of git, without the server: what the tests start.

use std::process::ExitCode;

fn main() -> ExitCode {
    git::run_if_child().unwrap_or(ExitCode::FAILURE)
}
