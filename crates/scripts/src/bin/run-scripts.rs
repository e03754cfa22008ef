//! The program that runs scripts, without the server: what the tests start.

use std::process::ExitCode;

fn main() -> ExitCode {
    match scripts::run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}
