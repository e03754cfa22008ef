//! The gate: code that disagrees with the contract is reported in one plain message, before rustc drowns it in trait errors.

use std::{path::Path, process::Command, process::exit};

use openapi_codegen::{Contract, finding::Findings, gate};

fn main() {
    for path in ["openapi", "src", "crates", "entity/src", "migration/src", "build.rs"] {
        println!("cargo::rerun-if-changed={path}");
    }
    // `HEAD` changes with the branch, its log with every commit.
    for file in ["HEAD", "logs/HEAD"] {
        let path = git(&["rev-parse", "--git-path", file]);
        // A file that is missing would run this script in every build.
        if let Some(path) = path.filter(|path| Path::new(path).exists()) {
            println!("cargo::rerun-if-changed={path}");
        }
    }
    println!(
        "cargo::rustc-env=BINDERY_BUILD={}",
        git(&["rev-parse", "--short=12", "HEAD"])
            .as_deref()
            .unwrap_or("unknown")
    );
    let contract = match Contract::load(Path::new("openapi")) {
        Ok(contract) => contract,
        // The contract crate reports these in full.
        Err(_) => return,
    };
    let mut findings = Findings::default();
    gate::check_server(&contract.api, Path::new("src"), &mut findings);
    gate::storage::check(&contract.api, Path::new("entity/src"), &mut findings);
    for folder in gate::crates(Path::new("")) {
        gate::layers::check_cycles(&folder.join("src"), &mut findings);
    }
    if let Err(findings) = findings.into_result(()) {
        eprintln!("\nThe code and the contract disagree:\n\n{findings}\n");
        exit(1);
    }
}

/// The output of a Git command. `None` outside a repository.
fn git(arguments: &[&str]) -> Option<String> {
    let output = Command::new("git").args(arguments).output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    output.status.success().then(|| text.trim().to_owned())
}
