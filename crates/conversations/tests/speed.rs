//! Time and memory at 100,000 issues: `cargo test --release -p conversations --test speed -- --ignored --nocapture`.
#![expect(clippy::indexing_slicing, reason = "helpers of a test")]

use std::{
    collections::HashMap,
    time::{Duration, Instant},
};

use conversations::{
    FoundIssue,
    clusters::{Centroid, Frequencies, Index, THRESHOLD, Terms, communities, terms},
};

const ISSUES: u64 = 100_000;
const SUBJECTS: u64 = 2_000;

/// The issues that are clustered at once.
const WINDOW: u64 = 10_000;

/// Words of the texts, the first of them in most texts.
const WORDS: f64 = 20_000.0;

struct Random(u64);

impl Random {
    fn below(&mut self, end: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % end
    }

    /// Returns a word by Zipf's law.
    fn word(&mut self) -> String {
        let share = self.below(1 << 32) as f64 / (1_u64 << 32) as f64;
        format!("word{}x", WORDS.powf(share) as u64)
    }
}

/// An issue has four of the eight words of its subject, and twelve others.
fn issue(subject: u64, random: &mut Random) -> FoundIssue {
    let mut of_subject = Random(subject.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
    of_subject.below(2);
    let words: Vec<String> = (0..8)
        .map(|_| format!("word{}x", of_subject.below(WORDS as u64)))
        .collect();
    let mut pick = || words[random.below(8) as usize].clone();
    let title = format!("{} {}", pick(), pick());
    let others: Vec<String> = (0..12).map(|_| random.word()).collect();
    let mut pick = || words[random.below(8) as usize].clone();
    FoundIssue {
        summary: format!("{title} {} {} {}", pick(), pick(), others.join(" ")),
        title,
    }
}

fn print_purity(when: &str, issues: &[(u64, Terms)], of: &[u64]) {
    let mut subjects: HashMap<u64, HashMap<u64, u64>> = HashMap::new();
    for ((subject, _), cluster) in issues.iter().zip(of) {
        *subjects.entry(*cluster).or_default().entry(*subject).or_default() += 1;
    }
    let most: u64 = subjects.values().filter_map(|counts| counts.values().max()).sum();
    let largest = subjects.values().map(|counts| counts.values().sum::<u64>()).max();
    let purity = most as f64 / issues.len() as f64;
    println!(
        "{when}: {} clusters, purity {purity:.3}, largest {largest:?}",
        subjects.len()
    );
}

#[test]
#[ignore = "measures; half a minute in a release build"]
fn issues_are_grouped_quickly() {
    let mut random = Random(42);
    let begin = Instant::now();
    let issues: Vec<(u64, Terms)> = (0..ISSUES)
        .map(|_| {
            let subject = random.below(SUBJECTS);
            (subject, terms(&issue(subject, &mut random)))
        })
        .collect();
    println!("terms of an issue: {:?}", begin.elapsed() / ISSUES as u32);

    let mut frequencies = Frequencies::default();
    for (_, terms) in &issues {
        frequencies.count(terms);
    }
    let mut index: Index<u64> = Index::new([], &frequencies);
    let mut of: Vec<u64> = Vec::new();
    let (begin, mut next) = (Instant::now(), 0);
    for (_, terms) in &issues {
        let nearest = index
            .nearest(terms, &frequencies)
            .filter(|(_, similarity)| *similarity >= THRESHOLD);
        let cluster = nearest.map_or(next, |(cluster, _)| cluster);
        if cluster == next {
            index.insert(next, Centroid::default(), &frequencies);
            next += 1;
        }
        index.add(&cluster, terms, &frequencies);
        of.push(cluster);
    }
    println!("{ISSUES} issues to {next} clusters: {:?}", begin.elapsed());

    let centroids: Vec<(u64, Vec<u8>)> = (0..next)
        .map(|cluster| (cluster, index.get(&cluster).expect("a cluster").to_bytes()))
        .collect();
    println!(
        "stored: {} bytes of centroids",
        centroids.iter().map(|(_, bytes)| bytes.len()).sum::<usize>()
    );
    let begin = Instant::now();
    let read = centroids
        .iter()
        .map(|(cluster, bytes)| (*cluster, Centroid::from_bytes(bytes).expect("a centroid")));
    let index = Index::new(read, &frequencies);
    println!("index of all clusters from their bytes: {:?}", begin.elapsed());
    let begin = Instant::now();
    for (_, terms) in issues.iter().take(1000) {
        assert!(index.nearest(terms, &frequencies).is_some());
    }
    let nearest = begin.elapsed() / 1000;
    println!("nearest cluster of an issue: {nearest:?}");
    assert!(nearest.as_millis() < 20);

    print_purity("as they came", &issues, &of);
}

fn print_communities(what: &str, issues: &[(u64, Terms)]) {
    let vectors: Vec<Terms> = issues.iter().map(|(_, terms)| terms.clone()).collect();
    let begin = Instant::now();
    let found = communities(&vectors);
    let time = begin.elapsed();
    let found: Vec<u64> = found.into_iter().map(|community| community as u64).collect();
    print_purity(&format!("{what} in {time:?}"), issues, &found);
    assert!(time < Duration::from_secs(20));
}

#[test]
#[ignore = "measures; half a minute in a release build"]
fn a_window_is_clustered_quickly() {
    let mut random = Random(42);
    for subjects in [100, 500, SUBJECTS] {
        let issues = (0..WINDOW).map(|_| {
            let subject = random.below(subjects);
            (subject, terms(&issue(subject, &mut random)))
        });
        let issues: Vec<(u64, Terms)> = issues.collect();
        print_communities(&format!("{WINDOW} issues of {subjects} subjects"), &issues);
    }
    // The most words, of which each issue has the half.
    let issues = (0..WINDOW).map(|_| {
        let words: Vec<String> = (0..64).map(|_| format!("word{}x", random.below(128))).collect();
        let summary = words.join(" ");
        (
            0,
            terms(&FoundIssue {
                title: words[0].clone(),
                summary,
            }),
        )
    });
    print_communities("long texts of the same words", &issues.collect::<Vec<(u64, Terms)>>());
}
