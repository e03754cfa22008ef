//! Generates the Rust side of the contract, or stops with everything that is wrong with it.

use std::{
    env, fs,
    io::{Read, Result},
    path::PathBuf,
    process::exit,
};

use flate2::{Compression, bufread::GzEncoder};
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
    let code = contract
        .code()
        .into_iter()
        .map(|(name, text)| (name, Ok(text.into_bytes())));
    let bundle = ("contract.json.gz".to_owned(), compress(&contract.bundle()));
    for (name, bytes) in code.chain([bundle]) {
        if let Err(e) = bytes.and_then(|bytes| fs::write(out.join(&name), bytes)) {
            eprintln!("cannot write {name}: {e}");
            exit(1);
        }
    }
}

fn compress(text: &str) -> Result<Vec<u8>> {
    let mut compressed = Vec::new();
    GzEncoder::new(text.as_bytes(), Compression::best()).read_to_end(&mut compressed)?;
    Ok(compressed)
}
