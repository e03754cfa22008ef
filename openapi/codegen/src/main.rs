//! `cargo run -p openapi-codegen` checks the contract; with a folder as argument it also writes the generated code there, to read.

use std::{env, fs, path::PathBuf, process::ExitCode};

use openapi_codegen::Contract;

fn main() -> ExitCode {
    let contract = match Contract::load(&PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("..")) {
        Ok(contract) => contract,
        Err(findings) => {
            eprintln!("{findings}");
            return ExitCode::FAILURE;
        }
    };
    let operations: usize = contract.api.areas.iter().map(|area| area.operations.len()).sum();
    println!(
        "{operations} operations, {} types, no findings",
        contract.api.types.len()
    );
    let Some(folder) = env::args_os().nth(1).map(PathBuf::from) else {
        return ExitCode::SUCCESS;
    };
    let bundle = ("contract.json".to_owned(), contract.bundle());
    for (name, text) in contract.code().into_iter().chain([bundle]) {
        let file = folder.join(name);
        if let Err(e) = fs::create_dir_all(&folder).and_then(|()| fs::write(&file, text)) {
            eprintln!("cannot write {}: {e}", file.display());
            return ExitCode::FAILURE;
        }
        println!("{}", file.display());
    }
    ExitCode::SUCCESS
}
