//! Running scripts: what a script is told of an event, and where the event goes.

mod environment;
mod logs;
mod own_service;
pub mod requests;
mod store;
mod trace;
mod tunnel;

use std::{path::PathBuf, sync::Arc, time::Duration};

use bytes::Bytes;
use entity::{
    ids::{DeliveryId, IntegrationId, IntegrationInstallationId, OrganizationId},
    integrations::IntegrationRuntime,
};
use openapi::error::{ApiError, ErrorRule};
use platform::{
    config::Settings,
    outbound::{IncomingResponse, Outbound, without_query},
};
use scripts::{Event, Finished, Reason, Rest, ScriptRuntime, Scripts};
use serde::Deserialize;

use self::{
    environment::Environment,
    requests::ScriptRequests,
    store::{ScriptCache, Target},
    trace::{Trace, TraceBudget},
    tunnel::Form,
};
pub use self::{
    logs::{LogLine, stored_logs},
    own_service::{OwnRequest, OwnService, Serve},
};

use crate::{
    areas::integrations::{Integrations, place::Place},
    kernel::Kernel,
};

/// The hidden command of the program that runs scripts.
pub const COMMAND: &str = "run-scripts";

/// The time of an event that a person waits for, with what the script does after its answer.
const SHORT: Duration = Duration::from_secs(10);

/// The time of other events.
const LONG: Duration = Duration::from_secs(30);

/// An event for a script.
pub struct ScriptEvent {
    pub integration: IntegrationId,
    pub installation: Option<IntegrationInstallationId>,
    /// The space or the site whose installation gets the event.
    pub place: Option<Place>,
    /// JSON text, which the script gets as it is.
    pub payload: String,
    /// The body of the request that a `fetch` event is about.
    pub body: Option<Bytes>,
}

/// The answer of a script.
pub struct ScriptAnswer {
    pub status: u16,
    /// Names in lower case. Each `set-cookie` stands for itself.
    pub headers: Vec<(String, String)>,
    pub body: Bytes,
}

/// Why an event has no answer.
pub enum RunFailure {
    /// The script or the server failed. The event may be tried again.
    Failed { reason: String, logs: Vec<LogLine> },
    /// The integration or the installation does not exist any more, or does not get such events.
    Gone,
}

impl<E: Into<ApiError>> From<E> for RunFailure {
    fn from(error: E) -> Self {
        let error = error.into();
        let cause = std::error::Error::source(&error).map(tracing::field::display);
        tracing::error!(cause, "an event of an integration failed: {error}");
        Self::Failed {
            reason: "The server could not run the script.".to_owned(),
            logs: Vec::new(),
        }
    }
}

/// What running scripts needs besides the kernel.
pub struct Runner {
    pool: Scripts,
    scripts: ScriptCache,
    /// Apart from that of the kernel: scripts do not take its turns and its memory.
    outbound: Arc<Outbound>,
    pub own_service: OwnService,
    traces: Arc<TraceBudget>,
    /// Longer, a response would meet the time limit of requests.
    time_limit: Duration,
}

impl Runner {
    pub fn new(settings: &Settings) -> Self {
        Self {
            pool: Scripts::new(scripts::Settings {
                processes: settings.integration_processes,
                ..scripts::Settings::new(program(settings), vec![COMMAND.into()])
            }),
            scripts: ScriptCache::default(),
            outbound: Arc::new(Outbound::new(settings.allow_private_addresses.clone())),
            own_service: OwnService::default(),
            traces: Arc::default(),
            time_limit: settings.request_timeout.mul_f32(0.9),
        }
    }

    fn time_of(&self, event_type: &str) -> Duration {
        match event_type {
            "fetch" => LONG.min(self.time_limit),
            _ if is_awaited(event_type) => SHORT.min(self.time_limit),
            _ => LONG,
        }
    }
}

/// Returns whether somebody waits for the answer to an event, and nobody for what the script does after it.
fn is_awaited(event_type: &str) -> bool {
    matches!(
        event_type,
        "fetch" | "ui_render" | "fetch_published_script" | "fetch_visitor_authentication"
    )
}

/// A program that cannot be found fails when it is started.
fn program(settings: &Settings) -> PathBuf {
    let set = settings.integration_program.clone();
    set.unwrap_or_else(|| std::env::current_exe().unwrap_or_else(|_| PathBuf::from("bindery")))
}

/// An event whose answer is being read.
pub struct Asked {
    trace: Trace,
    status: u16,
    rest: Option<Rest>,
}

impl Asked {
    /// Has the trace of the event written, with what is wrong with the answer.
    pub fn end<T>(self, read: Result<T, String>) -> Result<T, RunFailure> {
        let failure = match &read {
            Err(reason) => Some(reason.clone()),
            Ok(_) if self.status >= 500 => Some(format!("The script responded with the status {}.", self.status)),
            Ok(_) => None,
        };
        self.trace.answered(self.status, failure, self.rest);
        read.map_err(|reason| RunFailure::Failed {
            reason,
            logs: Vec::new(),
        })
    }
}

/// What decides how an event is treated.
#[derive(Deserialize)]
struct EventHead {
    #[serde(rename = "eventId")]
    event_id: DeliveryId,
    #[serde(rename = "type")]
    event_type: String,
}

impl Integrations {
    /// Runs the script of an integration with an event for whose answer nobody waits. Returns the log lines of all the event.
    pub async fn run_script(&self, event: ScriptEvent) -> Result<(ScriptAnswer, Vec<LogLine>), RunFailure> {
        let head: EventHead = serde_json::from_str(&event.payload)?;
        let target = Target::load(&self.kernel, &event, &head.event_type).await?;
        let (answer, rest) = self.dispatch(event, &head.event_type, target).await?;
        let logs = match rest {
            Some(rest) => all_lines(&self.kernel, rest.finish().await),
            None => Vec::new(),
        };
        Ok((answer, logs))
    }

    /// Asks the script of an integration for an answer, which `read` takes, or says what is wrong with it. The trace of the event is written
    /// afterwards.
    pub async fn ask_script<T>(
        &self,
        event: ScriptEvent,
        read: impl FnOnce(ScriptAnswer) -> Result<T, String>,
    ) -> Result<T, RunFailure> {
        let (answer, asked) = self.begin_asking(event).await?;
        asked.end(read(answer))
    }

    /// The same in two parts: what is wrong with the answer is said later.
    pub async fn begin_asking(&self, event: ScriptEvent) -> Result<(ScriptAnswer, Asked), RunFailure> {
        let head: EventHead = serde_json::from_str(&event.payload)?;
        let target = Target::load(&self.kernel, &event, &head.event_type).await?;
        let trace = Trace::begin(&self.kernel, &self.runner.traces, &event, &head);
        let (answer, rest) = match self.dispatch(event, &head.event_type, target).await {
            Ok(answered) => answered,
            Err(failure) => {
                if let RunFailure::Failed { reason, logs } = &failure {
                    trace.failed(reason.clone(), logs.clone());
                }
                return Err(failure);
            }
        };
        let asked = Asked {
            trace,
            status: answer.status,
            rest,
        };
        Ok((answer, asked))
    }

    /// Refuses a script that cannot be parsed.
    pub async fn check_script(
        &self,
        owner: OrganizationId,
        runtime: IntegrationRuntime,
        script: &str,
    ) -> Result<(), ApiError> {
        let pool = &self.runner.pool;
        let parsed = pool.parse(owner.to_string().into(), script.into(), script_runtime(runtime));
        match parsed.await.map_err(|failure| failure.reason) {
            Ok(()) => Ok(()),
            Err(Reason::Script(message)) => {
                let message = format!("`script` cannot be parsed: {message}.");
                Err(ApiError::invalid_member("/body/script", ErrorRule::Script, message))
            }
            // Its events fail, if the script is the reason.
            Err(reason) => {
                tracing::warn!(%owner, "a script was not parsed: {reason}");
                Ok(())
            }
        }
    }

    /// Runs the script, or sends the event to the tunnel in development mode. `None`: it is over with the answer.
    async fn dispatch(
        &self,
        event: ScriptEvent,
        event_type: &str,
        target: Target,
    ) -> Result<(ScriptAnswer, Option<Rest>), RunFailure> {
        let environment = Environment::load(self, &target).await?;
        let environment = serde_json::to_string(&environment)?;
        let installed_on = target.installation.as_ref().map(|row| row.organization_id);
        // Nobody knows on which organization a deleted installation was.
        let is_deleted = event.installation.is_some() && target.installation.is_none();
        let tunnel = tunnel::address(&target.integration, installed_on);
        let tunnel = tunnel.filter(|_| !is_deleted || target.integration.tunnel_all);
        let Some(address) = tunnel.map(str::to_owned) else {
            return self.run(event, event_type, target, environment).await;
        };
        let form = Form {
            event: &event.payload,
            environment: &environment,
            body: event.body.as_deref(),
        };
        let time = self.runner.time_of(event_type);
        let answer = tunnel::send(&self.runner.outbound, &target.integration, &address, form, time).await;
        let answer = answer.map_err(|error| RunFailure::Failed {
            reason: format!("The tunnel {} {error}.", without_query(&address)),
            logs: Vec::new(),
        })?;
        Ok((of_tunnel(answer), None))
    }

    async fn run(
        &self,
        event: ScriptEvent,
        event_type: &str,
        target: Target,
        environment: String,
    ) -> Result<(ScriptAnswer, Option<Rest>), RunFailure> {
        let Target {
            integration,
            installation,
            ..
        } = target;
        let script = self.runner.scripts.get(self.kernel.db.read(), &integration).await?;
        let requests = ScriptRequests {
            urls: Arc::clone(&self.kernel.urls),
            outbound: Arc::clone(&self.runner.outbound),
            own_service: self.runner.own_service.clone(),
            integration: integration.id,
            owner: integration.organization_id,
        };
        let installation = installation.map_or_else(String::new, |installation| installation.id.to_string());
        let event = Event {
            owner: integration.organization_id.to_string().into(),
            integration: integration.id.to_string().into(),
            installation: installation.into(),
            version: u64::try_from(script.version).unwrap_or_default(),
            script: script.text,
            runtime: script_runtime(integration.runtime),
            event: event.payload.into(),
            environment: environment.into(),
            fetch_body: event.body.map(Vec::from),
            parse_only: false,
            wall_time: self.runner.time_of(event_type),
        };
        let ran = self.runner.pool.run(event, Arc::new(requests)).await;
        let (answer, rest) = ran.map_err(|failure| RunFailure::Failed {
            reason: failure.reason.to_string(),
            logs: failure.logs.into_iter().map(LogLine::from).collect(),
        })?;
        let answer = ScriptAnswer {
            status: answer.status,
            headers: answer.headers,
            body: answer.body.into(),
        };
        Ok((answer, Some(rest)))
    }
}

fn script_runtime(runtime: IntegrationRuntime) -> ScriptRuntime {
    match runtime {
        IntegrationRuntime::V1 => ScriptRuntime::V1,
        IntegrationRuntime::V2 => ScriptRuntime::V2,
    }
}

fn of_tunnel(response: IncomingResponse) -> ScriptAnswer {
    let headers = response.headers.iter();
    ScriptAnswer {
        status: response.status.as_u16(),
        headers: headers
            .map(|(name, value)| (name.as_str().to_owned(), requests::header_text(value)))
            .collect(),
        body: response.body,
    }
}

/// The lines of an event, and why the rest of it failed.
fn all_lines(kernel: &Kernel, finished: Finished) -> Vec<LogLine> {
    let Finished { logs, failure } = finished;
    let failure = failure.map(|reason| LogLine {
        level: "error",
        message: reason.to_string(),
        timestamp: kernel.clock.now(),
    });
    logs.into_iter().map(LogLine::from).chain(failure).collect()
}
