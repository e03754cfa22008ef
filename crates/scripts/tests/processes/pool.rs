//! Processes, runtimes, and what they share.

use std::{sync::Arc, time::Duration};

use scripts::{Event, Reason, Scripts};
use tokio::task::JoinSet;

use crate::support::{Echo, complete, event, failure, module, scripts, settings};

/// Counts the events of its runtime.
const COUNTER: &str = "let count = 0;
    export default { fetch() { count += 1; return new Response(String(count)); } };";

async fn count(scripts: &Scripts, event: Event) -> String {
    let (answer, _) = complete(scripts, event).await;
    String::from_utf8(answer.body).unwrap()
}

fn of(integration: &str, installation: &str, version: u64) -> Event {
    Event {
        integration: integration.into(),
        installation: installation.into(),
        version,
        ..event(COUNTER)
    }
}

#[tokio::test]
async fn runtime_is_of_a_version_on_an_installation() {
    let scripts = scripts();
    assert_eq!(count(&scripts, of("a", "1", 1)).await, "1");
    assert_eq!(count(&scripts, of("a", "1", 1)).await, "2");
    assert_eq!(count(&scripts, of("a", "2", 1)).await, "1");
    assert_eq!(count(&scripts, of("a", "1", 2)).await, "1");
    assert_eq!(count(&scripts, of("b", "1", 1)).await, "1");
    assert_eq!(count(&scripts, of("a", "1", 1)).await, "3");
    assert_eq!(scripts.processes(), 2);
}

#[tokio::test]
async fn scripts_of_many_versions_are_sent_again() {
    let scripts = scripts();
    for version in 1..=20 {
        assert_eq!(count(&scripts, of("a", "1", version)).await, "1");
    }
    // The runtime is still there, and a new one gets the script once more.
    assert_eq!(count(&scripts, of("a", "1", 1)).await, "2");
    assert_eq!(count(&scripts, of("a", "2", 1)).await, "1");
}

#[tokio::test]
async fn pollution_stays_in_its_runtime() {
    let scripts = scripts();
    let polluting = module(
        "Object.prototype.secret = 'leaked'; Array.prototype.map = () => []; globalThis.secret = 'leaked';
         Response.prototype.text = () => 'leaked'; JSON.parse = () => 'leaked'; return new Response('done');",
    );
    let (answer, _) = complete(&scripts, event(&polluting)).await;
    assert_eq!(answer.body, b"done");
    let script = module(
        "return Response.json([{}.secret ?? null, globalThis.secret ?? null, [1].map((x) => x + 1), JSON.parse('2')]);",
    );
    let mut other = event(&script);
    other.installation = "other".into();
    let (answer, _) = complete(&scripts, other).await;
    assert_eq!(answer.body, b"[null,null,[2],2]");
}

#[tokio::test]
async fn runtime_goes_after_a_failure_and_after_its_events() {
    let mut settings = settings();
    settings.limits.events = 3;
    let scripts = Scripts::new(settings);
    for expected in ["1", "2", "3", "1"] {
        assert_eq!(count(&scripts, of("a", "1", 1)).await, expected);
    }
    let script = "let count = 0;
        export default { fetch() { count += 1; if (count === 2) throw new Error('second'); return new Response(String(count)); } };";
    let mut failing = of("a", "1", 2);
    failing.script = script.into();
    assert_eq!(count(&scripts, failing.clone()).await, "1");
    assert!(matches!(
        failure(&scripts, failing.clone()).await.reason,
        Reason::Script(_)
    ));
    assert_eq!(count(&scripts, failing).await, "1");
}

#[tokio::test]
async fn idle_runtimes_and_processes_end() {
    let mut settings = settings();
    settings.limits.idle = Duration::from_millis(100);
    let scripts = Scripts::new(settings);
    assert_eq!(count(&scripts, of("a", "1", 1)).await, "1");
    let ended = async {
        while scripts.processes() > 0 {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    };
    tokio::time::timeout(Duration::from_secs(10), ended)
        .await
        .expect("the process stays");
    assert_eq!(count(&scripts, of("a", "1", 1)).await, "1");
}

#[tokio::test]
async fn least_recently_used_process_ends_first() {
    let mut settings = settings();
    settings.processes = 3;
    settings.keep = Duration::ZERO;
    let scripts = Scripts::new(settings);
    for integration in ["a", "b", "c", "a"] {
        count(&scripts, of(integration, "1", 1)).await;
    }
    assert_eq!(count(&scripts, of("d", "1", 1)).await, "1");
    assert_eq!(scripts.processes(), 3);
    assert_eq!(count(&scripts, of("a", "1", 1)).await, "3");
    assert_eq!(count(&scripts, of("c", "1", 1)).await, "2");
    assert_eq!(count(&scripts, of("b", "1", 1)).await, "1");
}

/// A script that waits for as long as its event may take.
const WAITS: &str = "await fetch('https://example.com/never'); return new Response();";

fn waiting(owner: &str, integration: &str) -> Event {
    let mut event = of(integration, "1", 1);
    event.owner = owner.into();
    event.script = module(WAITS).into();
    event
}

/// Begins events that wait, and returns when all have made their request.
async fn begin(scripts: &Scripts, events: Vec<Event>) -> JoinSet<Reason> {
    let echo = Arc::new(Echo::default());
    let count = events.len();
    let mut begun = JoinSet::new();
    for event in events {
        let (scripts, echo) = (scripts.clone(), Arc::clone(&echo));
        begun.spawn(async move { scripts.run(event, echo).await.unwrap_err().reason });
    }
    while echo.requests.lock().unwrap().len() < count {
        tokio::task::yield_now().await;
    }
    begun
}

#[tokio::test]
async fn an_owner_does_not_keep_others_from_their_share() {
    let mut settings = settings();
    settings.processes = 4;
    // Longer than the event that comes may wait: only what is above the share ends for it.
    settings.keep = Duration::from_secs(60);
    let scripts = Scripts::new(settings);
    let mut begun = begin(&scripts, (0..4).map(|index| waiting("a", &index.to_string())).collect()).await;
    let mut other = of("other", "1", 1);
    other.owner = "b".into();
    assert_eq!(count(&scripts, other.clone()).await, "1");
    assert_eq!(count(&scripts, other).await, "2");
    assert_eq!(begun.join_next().await.unwrap().unwrap(), Reason::Stopped);
    assert!(begun.try_join_next().is_none());
}

#[tokio::test]
async fn a_process_that_waits_ends_for_one_that_is_due() {
    let mut settings = settings();
    settings.processes = 2;
    settings.keep = Duration::ZERO;
    settings.patience = Duration::from_millis(200);
    let scripts = Scripts::new(settings);
    let mut begun = begin(&scripts, vec![waiting("a", "a"), waiting("b", "b")]).await;
    let mut other = of("other", "1", 1);
    other.owner = "c".into();
    assert_eq!(count(&scripts, other).await, "1");
    assert_eq!(begun.join_next().await.unwrap().unwrap(), Reason::Stopped);
    assert!(begun.try_join_next().is_none());
}

#[tokio::test]
async fn events_that_have_begun_end_before_their_process() {
    let mut settings = settings();
    settings.processes = 1;
    settings.keep = Duration::ZERO;
    let scripts = Scripts::new(settings);
    let mut slow = of("a", "1", 1);
    slow.script = module("await fetch('https://example.com/'); await new Promise((resolve) => setTimeout(resolve, 500)); return new Response('slow');").into();
    let echo = Arc::new(Echo::default());
    let slow = tokio::spawn({
        let (scripts, echo) = (scripts.clone(), Arc::clone(&echo));
        async move { scripts.run(slow, echo).await.unwrap().0.body }
    });
    while echo.requests.lock().unwrap().is_empty() {
        tokio::task::yield_now().await;
    }
    assert_eq!(count(&scripts, of("b", "1", 1)).await, "1");
    assert_eq!(slow.await.unwrap(), b"slow");
}

/// More integrations than processes take turns: few of their events find a new process.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn processes_are_kept_for_a_while() {
    let mut settings = settings();
    settings.processes = 2;
    settings.keep = Duration::from_secs(1);
    settings.wait = Duration::from_secs(60);
    let scripts = Scripts::new(settings);
    let busy = (0..3).map(|integration: u32| {
        let scripts = scripts.clone();
        tokio::spawn(async move {
            let mut starts = 0;
            for _ in 0..300 {
                starts += u32::from(count(&scripts, of(&integration.to_string(), "1", 1)).await == "1");
            }
            starts
        })
    });
    let busy: Vec<_> = busy.collect();
    for starts in busy {
        let starts = starts.await.unwrap();
        assert!((1..=100).contains(&starts), "{starts} processes for 300 events");
    }
}

#[tokio::test]
async fn event_waits_for_a_process() {
    let mut settings = settings();
    settings.processes = 1;
    settings.wait = Duration::from_millis(200);
    settings.keep = Duration::ZERO;
    let scripts = Scripts::new(settings);
    let mut waiting = of("a", "1", 1);
    waiting.script = module("await fetch('https://example.com/never', { signal: AbortSignal.timeout(3000) }).catch(() => {}); return new Response();").into();
    let echo = Arc::new(Echo::default());
    let first = tokio::spawn({
        let (scripts, echo) = (scripts.clone(), Arc::clone(&echo));
        async move { scripts.run(waiting, echo).await }
    });
    while echo.requests.lock().unwrap().is_empty() {
        tokio::task::yield_now().await;
    }
    assert_eq!(failure(&scripts, of("b", "1", 1)).await.reason, Reason::TooBusy);
    let (_, rest) = first.await.unwrap().unwrap();
    rest.finish().await;
    assert_eq!(count(&scripts, of("b", "1", 1)).await, "1");
}

#[tokio::test]
async fn events_that_wait_do_not_hold_up_others() {
    let script = "let count = 0;
        export default { async fetch(request) {
          count += 1;
          const { wait } = JSON.parse((await request.formData()).get('event'));
          if (wait) await fetch('https://example.com/never');
          return new Response(String(count));
        } };";
    let scripts = scripts();
    let mut waiting = event(script);
    waiting.event = r#"{"wait":true}"#.into();
    waiting.wall_time = Duration::from_secs(20);
    let _first = begin(&scripts, vec![waiting]).await;
    // A second runtime of the installation.
    assert_eq!(count(&scripts, event(script)).await, "1");
    assert_eq!(count(&scripts, event(script)).await, "2");
}
