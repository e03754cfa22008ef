//! Generates the Rust side of the contract, or stops with everything that is wrong with it.

use std::{env, fs, path::PathBuf, process::exit};

use openapi_codegen::Contract;

fn main() {
    println!("cargo::rerun-if-changed=openapi.yaml");
    println!("cargo::rerun-if-changed=paths");
    println!("cargo::rerun-if-changed=components");
    let folder = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").unwrap_or_default());
    let out = PathBuf::from(env::var_os("OUT_DIR").unwrap_or_default());
    let contract = match Contract::load(&folder) {
        Ok(contract) => contract,
        Err(findings) => {
            eprintln!("\nThe contract in openapi/ cannot be used:\n\n{findings}\n");
            exit(1);
        }
    };
    let bundle = ("contract.json".to_owned(), contract.bundle());
    for (name, text) in contract.code().into_iter().chain([bundle]) {
        if let Err(e) = fs::write(out.join(&name), text) {
            eprintln!("cannot write {name}: {e}");
            exit(1);
        }
    }
}
