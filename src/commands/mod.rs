//! The command line: one file a command.

mod api;
mod audit;
pub mod background;
pub mod backup;
mod connect;
mod demo;
pub mod doctor;
mod export;
pub mod first_run;
mod generate;
mod git_source;
mod health;
mod import;
mod insights;
mod integration;
mod jobs;
pub mod logs;
mod migrate;
mod openapi;
mod org;
mod output;
mod private_files;
mod pull;
mod restore;
mod run_scripts;
mod serve;
mod service_manager;
mod token;
mod typeset;
mod user;

use std::process::ExitCode;

use anyhow::Context;
use clap::{Args, CommandFactory, FromArgMatches, Parser, Subcommand};
use platform::config::Flags;

use self::connect::open;

/// The version with the commit of which the program was built.
const VERSION: &str = concat!(env!("CARGO_PKG_VERSION"), " (", env!("BINDERY_BUILD"), ")");

/// A self-hosted API that manages documentation.
#[derive(Debug, Parser)]
#[command(name = "bindery", version = VERSION, about)]
struct Arguments {
    #[command(flatten)]
    flags: Flags,

    /// The default is `serve`
    #[command(subcommand)]
    command: Option<Command>,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Start the server
    Serve,
    /// Fill an empty installation with an organization to look around in
    Demo,
    /// Apply pending migrations to the database
    Migrate,
    /// Create, list and suspend users
    #[command(subcommand)]
    User(user::Command),
    /// Create and list organizations, and add members
    #[command(subcommand)]
    Org(org::Command),
    /// Create, list and revoke API tokens
    #[command(subcommand)]
    Token(token::Command),
    /// Mark integrations as verified
    #[command(subcommand)]
    Integration(integration::Command),
    /// Export the events of visitors
    #[command(subcommand)]
    Insights(insights::Command),
    /// Import a directory of Markdown files, a zip archive or a branch of a Git repository as the content of a space
    Import(import::Command),
    /// Copy an organization from another server
    Pull(pull::Command),
    /// Export the pages of a site, or the content of a space
    #[command(subcommand)]
    Export(export::Command),
    /// List the audit events that belong to no organization: those of users and their tokens
    Audit(audit::Command),
    /// List background jobs, and cancel them
    Jobs(jobs::Command),
    /// Print the OpenAPI document
    Openapi(openapi::Command),
    /// Write the whole installation to an archive, beside a running server
    Backup(backup::Command),
    /// Restore the whole installation from an archive of `bindery backup`
    Restore(restore::Command),
    /// Check the settings, the database and the file store
    Doctor(doctor::Command),
    /// Ask the running server whether it is ready
    Health,
    /// Write the completions of shells and the manual pages
    #[command(hide = true)]
    Generate(generate::Command),
    /// Typeset a PDF for the server
    #[command(hide = true)]
    Typeset(typeset::Command),
    /// Run scripts of integrations for the server
    #[command(hide = true)]
    RunScripts,
}

/// Ends the help of all commands besides `serve`.
const WHERE_SETTINGS_ARE: &str = "All commands take the settings of the server, such as --data-dir and --database-url.\n\
                                  `bindery serve --help` lists them.";

/// The stack of a worker. Unoptimized builds take nearly 2 MiB of it for a merge; only what is used takes memory.
const WORKER_STACK: usize = 4 * 1024 * 1024;

/// Runs the program with the arguments of the process.
pub fn main() -> ExitCode {
    // Git starts this program to be limited, and to be asked for passwords.
    if let Some(code) = git::run_if_child() {
        return code;
    }
    let arguments = Arguments::from_arg_matches(&command_line().get_matches()).unwrap_or_else(|error| error.exit());
    private_files::start();
    if let Some(Command::Typeset(command)) = &arguments.command {
        return report(command.run().map(|()| ExitCode::SUCCESS));
    }
    if let Some(Command::RunScripts) = &arguments.command {
        return report(run_scripts::run().map(|()| ExitCode::SUCCESS));
    }
    let done = runtime().and_then(|runtime| runtime.block_on(run(arguments)));
    logs::flush();
    report(done)
}

/// All commands accept the settings; only the help of `serve` lists them.
pub fn command_line() -> clap::Command {
    Arguments::command()
        .mut_args(|setting| setting.hide(true))
        .mut_subcommand("serve", Flags::augment_args)
        .mut_subcommands(refer_to_settings)
        .after_help(WHERE_SETTINGS_ARE)
}

fn refer_to_settings(command: clap::Command) -> clap::Command {
    match command.get_name() {
        "serve" => command,
        _ => command
            .mut_subcommands(refer_to_settings)
            .after_help(WHERE_SETTINGS_ARE),
    }
}

fn report(done: anyhow::Result<ExitCode>) -> ExitCode {
    done.unwrap_or_else(|error| {
        eprintln!("bindery: {error:#}");
        ExitCode::FAILURE
    })
}

fn runtime() -> anyhow::Result<tokio::runtime::Runtime> {
    let mut builder = tokio::runtime::Builder::new_multi_thread();
    builder
        .thread_stack_size(WORKER_STACK)
        .enable_all()
        .build()
        .context("cannot start the asynchronous runtime")
}

async fn run(arguments: Arguments) -> anyhow::Result<ExitCode> {
    let Arguments { flags, command } = arguments;
    match command.unwrap_or(Command::Serve) {
        Command::Serve => serve::run(&flags).await?,
        Command::Demo => demo::run(&flags).await?,
        Command::Migrate => migrate::run(&flags).await?,
        Command::User(command) => command.run(&open(&flags).await?).await?,
        Command::Org(command) => command.run(&open(&flags).await?).await?,
        Command::Token(command) => command.run(&open(&flags).await?).await?,
        Command::Integration(command) => command.run(&open(&flags).await?).await?,
        Command::Insights(command) => command.run(&open(&flags).await?).await?,
        Command::Import(command) => return command.run(&open(&flags).await?).await,
        Command::Pull(command) => return command.run(&flags).await,
        Command::Export(command) => command.run(&open(&flags).await?).await?,
        Command::Audit(command) => command.run(&open(&flags).await?).await?,
        Command::Jobs(command) => command.run(&open(&flags).await?).await?,
        Command::Openapi(command) => command.run(&flags)?,
        Command::Backup(command) => command.run(&flags).await?,
        Command::Restore(command) => command.run(&flags).await?,
        Command::Doctor(command) => return command.run(&flags).await,
        Command::Health => health::run(&flags).await?,
        Command::Generate(command) => command.run(command_line())?,
        Command::Typeset(command) => command.run()?,
        Command::RunScripts => run_scripts::run()?,
    }
    Ok(ExitCode::SUCCESS)
}
