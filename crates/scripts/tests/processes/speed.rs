//! How long events take. Run it with an optimized build: `cargo test --release -p scripts speed -- --ignored --nocapture`.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use scripts::Scripts;

use crate::support::{Echo, complete, event, module, settings};

/// The script, with as much code after it as a bundle of the usual size has.
fn bundle() -> String {
    let filler = (0..700).fold(String::new(), |text, index| {
        text + &format!("export function unused{index}(a, b) {{ const all = [a, b]; for (const one of all) if (one > {index}) return {{ one }}; return null; }}\n")
    });
    module("const form = await request.formData(); return Response.json({ type: JSON.parse(form.get('event')).type });")
        + &filler
}

fn report(name: &str, mut times: Vec<Duration>) {
    times.sort();
    println!(
        "{name}: median {:?}, longest {:?}",
        times[times.len() / 2],
        times[times.len() - 1]
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "measures"]
async fn speed() {
    let script: Arc<str> = bundle().into();
    let mut event = event("");
    event.script = Arc::clone(&script);
    println!("script: {} bytes", script.len());
    let mut cold = Vec::new();
    for _ in 0..20 {
        let scripts = Scripts::new(settings());
        let begun = Instant::now();
        complete(&scripts, event.clone()).await;
        cold.push(begun.elapsed());
    }
    report("cold, without a spare process", cold);
    let scripts = Scripts::new(settings());
    let mut cold = Vec::new();
    for integration in 0..16 {
        event.integration = integration.to_string().into();
        let begun = Instant::now();
        complete(&scripts, event.clone()).await;
        cold.push(begun.elapsed());
        tokio::time::sleep(Duration::from_millis(300)).await;
    }
    report("cold, with a spare process", cold);
    let mut warm = Vec::new();
    for _ in 0..1000 {
        let begun = Instant::now();
        complete(&scripts, event.clone()).await;
        warm.push(begun.elapsed());
    }
    report("warm", warm);
    let begun = Instant::now();
    let runs: Vec<_> = (0..5000)
        .map(|index: u32| {
            let (scripts, mut event) = (scripts.clone(), event.clone());
            event.integration = (index % 4).to_string().into();
            tokio::spawn(async move { scripts.run(event, Arc::new(Echo::default())).await.map(drop).unwrap() })
        })
        .collect();
    for run in runs {
        run.await.unwrap();
    }
    println!(
        "{:.0} events/s of 4 integrations",
        5000.0 / begun.elapsed().as_secs_f64()
    );
}

/// The events that so many integrations of as many owners get through, each with one event after the other.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "measures"]
async fn busy_integrations() {
    const TIME: Duration = Duration::from_secs(10);
    let script: Arc<str> = bundle().into();
    for integrations in [16, 17, 24] {
        let scripts = Scripts::new(settings());
        let begun = Instant::now();
        let busy = (0..integrations).map(|index: u32| {
            let (scripts, mut event) = (scripts.clone(), event(""));
            event.script = Arc::clone(&script);
            event.owner = index.to_string().into();
            event.integration = index.to_string().into();
            tokio::spawn(async move {
                let (mut events, mut failed, mut longest) = (0_u32, 0_u32, Duration::ZERO);
                while begun.elapsed() < TIME {
                    let before = Instant::now();
                    match scripts.run(event.clone(), Arc::new(Echo::default())).await {
                        Ok((_, rest)) => drop(rest.finish().await),
                        Err(_) => failed += 1,
                    }
                    events += 1;
                    longest = longest.max(before.elapsed());
                }
                (events, failed, longest)
            })
        });
        let busy: Vec<_> = busy.collect();
        // The delay of another task of the runtime.
        let mut delays = Vec::new();
        while begun.elapsed() < TIME {
            let before = Instant::now();
            tokio::time::sleep(Duration::from_millis(10)).await;
            delays.push(before.elapsed() - Duration::from_millis(10));
        }
        let (mut events, mut failed, mut longest, mut fewest) = (0, 0, Duration::ZERO, u32::MAX);
        for integration in busy {
            let of_one = integration.await.unwrap();
            events += of_one.0;
            failed += of_one.1;
            longest = longest.max(of_one.2);
            fewest = fewest.min(of_one.0);
        }
        let rate = f64::from(events) / TIME.as_secs_f64();
        println!(
            "{integrations} busy integrations: {rate:.0} events/s, fewest {fewest}, failed {failed}, longest {longest:?}"
        );
        report("delay of another task", delays);
    }
}
