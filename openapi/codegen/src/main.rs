//! `cargo run -p openapi-codegen` checks the contract, and writes the generated code to a folder if one is given.
//! `… -- modules` prints the modules of all crates and their cycles.
//! `… -- new <context> <area> [<entry>]` writes the skeleton of a new area; `entry` is the name of one of its objects.

use std::{
    env, fs,
    path::{Path, PathBuf},
    process::{Command, ExitCode},
};

use chrono::Local;
use openapi_codegen::{
    Contract,
    finding::Findings,
    gate::{self, layers},
    scaffold::{Names, Plan},
};

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(problem) => {
            eprintln!("{problem}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> Result<(), String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let contract = Contract::load(&root.join("openapi")).map_err(|findings| findings.to_string())?;
    let arguments: Vec<String> = env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match arguments[..] {
        [] => summarize(&contract),
        ["modules"] => modules(&root, &contract)?,
        ["new", context, area] => scaffold(&root, &contract, &Names::new(context, area, None)?)?,
        ["new", context, area, entry] => scaffold(&root, &contract, &Names::new(context, area, Some(entry))?)?,
        [folder] if folder != "new" => write_code(&contract, Path::new(folder))?,
        _ => return Err("usage: openapi-codegen [FOLDER | modules | new CONTEXT AREA [ENTRY]]".to_owned()),
    }
    Ok(())
}

/// Prints the modules of each crate, and the cycles and violations of the layer order among the modules.
fn modules(root: &Path, contract: &Contract) -> Result<(), String> {
    let mut findings = Findings::default();
    gate::check_server(&contract.api, &root.join("src"), &mut findings);
    println!("src: {} modules", layers::count(&root.join("src")));
    for folder in gate::crates(root) {
        let sources = folder.join("src");
        layers::check_cycles(&sources, &mut findings);
        let name = folder.strip_prefix(root).unwrap_or(&folder).display();
        println!("{name}: {} modules", layers::count(&sources));
    }
    println!("{} cycles or violations of the layer order", findings.iter().count());
    findings.into_result(()).map_err(|findings| findings.to_string())
}

fn summarize(contract: &Contract) {
    let operations: usize = contract.api.areas.iter().map(|area| area.operations.len()).sum();
    println!(
        "{operations} operations, {} types, no findings",
        contract.api.types.len()
    );
}

fn write_code(contract: &Contract, folder: &Path) -> Result<(), String> {
    summarize(contract);
    let bundle = ("contract.json".to_owned(), contract.bundle());
    for (name, text) in contract.code().into_iter().chain([bundle]) {
        let file = folder.join(name);
        fs::create_dir_all(folder)
            .and_then(|()| fs::write(&file, text))
            .map_err(|e| format!("cannot write {}: {e}", file.display()))?;
        println!("{}", file.display());
    }
    Ok(())
}

fn scaffold(root: &Path, contract: &Contract, names: &Names) -> Result<(), String> {
    let root = root.canonicalize().map_err(|e| format!("{}: {e}", root.display()))?;
    let today = Local::now().date_naive();
    let plan = Plan::new(&root, &contract.api, names, today).map_err(|refusal| refusal.to_string())?;
    plan.write().map_err(|refusal| refusal.to_string())?;
    let name = |path: &Path| path.strip_prefix(&root).unwrap_or(path).display().to_string();
    for file in &plan.new {
        println!("new      {}", name(&file.path));
    }
    for file in &plan.changed {
        println!("changed  {}", name(&file.path));
    }
    let sources: Vec<&PathBuf> = plan.rust().collect();
    let formatted = Command::new("rustfmt")
        .args(["--edition", "2024"])
        .args(sources)
        .status();
    if !formatted.is_ok_and(|status| status.success()) {
        println!("rustfmt failed. Run `cargo fmt`.");
    }
    println!(
        "\nThe {} only have a title so far. Adapt the description of the tag, the components and the paths, then the\n\
         migration, the entity, the handlers and the test. `cargo check` lists what is missing, `scripts/test {}` runs\n\
         the tests. The guide is docs/adding-an-endpoint.md.",
        names.words(),
        names.area
    );
    Ok(())
}
