//! Processes, runtimes, and what they share.

use std::{sync::Arc, time::Duration};

use scripts::{Event, Reason, Scripts};

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

#[tokio::test]
async fn event_waits_for_a_process() {
    let mut settings = settings();
    settings.processes = 1;
    settings.wait = Duration::from_millis(200);
    let scripts = Scripts::new(settings);
    let mut waiting = of("a", "1", 1);
    waiting.script = module("await fetch('https://example.com/never', { signal: AbortSignal.timeout(3000) }).catch(() => {}); return new Response();").into();
    let first = tokio::spawn({
        let scripts = scripts.clone();
        async move { scripts.run(waiting, Arc::new(Echo::default())).await }
    });
    while scripts.processes() == 0 {
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
    let first = tokio::spawn({
        let scripts = scripts.clone();
        async move { scripts.run(waiting, Arc::new(Echo::default())).await }
    });
    while scripts.processes() == 0 {
        tokio::task::yield_now().await;
    }
    // A second runtime of the installation.
    assert_eq!(count(&scripts, event(script)).await, "1");
    assert_eq!(count(&scripts, event(script)).await, "2");
    first.abort();
}
