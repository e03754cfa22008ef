//! Clusters as they are stored, merged, split and labelled.

use conversations::{
    FoundIssue, MAX_SUMMARY, MAX_TITLE,
    clusters::{Centroid, Change, Frequencies, Index, THRESHOLD, Terms, label, merges, split, terms},
};

fn issue(title: &str) -> FoundIssue {
    FoundIssue {
        title: title.to_owned(),
        summary: title.to_owned(),
    }
}

const EXPORT: [&str; 4] = [
    "PDF export of the manual fails",
    "Images are missing in the exported PDF",
    "The PDF export of our manual has no images",
    "Export a chapter of the manual as PDF",
];

const PASSWORD: [&str; 4] = [
    "Password reset link expired",
    "The link to reset my password is invalid",
    "No mail to reset the password",
    "Reset mail for my forgotten password never arrives",
];

fn frequencies(issues: &[Terms]) -> Frequencies {
    let mut frequencies = Frequencies::default();
    for terms in issues {
        frequencies.issues += 1;
        for hash in terms.hashes() {
            *frequencies.of.entry(hash).or_default() += 1;
        }
    }
    frequencies
}

fn all(titles: &[&str]) -> Vec<Terms> {
    titles.iter().map(|title| terms(&issue(title))).collect()
}

fn centroid(issues: &[Terms], frequencies: &Frequencies) -> Centroid {
    let mut centroid = Centroid::default();
    for terms in issues {
        centroid.add(terms, frequencies);
    }
    centroid
}

#[test]
fn forms_of_words_are_one_term_in_each_language() {
    for (one, other) in [
        ("Invoices are missing", "An invoice is missing"),
        ("Wo sind die Rechnungen?", "Wo ist die Rechnung?"),
        ("Je ne trouve pas les factures", "je ne trouve pas la facture"),
        ("¿Dónde están las facturas?", "¿donde esta la factura?"),
        ("パスワードをリセットできません", "パスワードをリセットできません。"),
    ] {
        assert_eq!(terms(&issue(one)), terms(&issue(other)), "{one}");
    }
    assert_eq!(terms(&issue("the and of")), Terms::default());
}

#[test]
fn terms_and_centroids_are_stored() {
    let issues = all(&EXPORT);
    let frequencies = frequencies(&issues);
    for terms in &issues {
        assert_eq!(Terms::from_bytes(&terms.to_bytes()).as_ref(), Some(terms));
    }
    let centroid = centroid(&issues, &frequencies);
    let bytes = centroid.to_bytes();
    assert_eq!(Centroid::from_bytes(&bytes), Some(centroid));
    // The hashes are stored: they are the same in every version.
    assert_eq!(
        terms(&issue("invoices")).hashes().collect::<Vec<u64>>(),
        [0x7587_c35d_be6d_a735]
    );
}

#[test]
fn damaged_bytes_are_noticed() {
    let issues = all(&EXPORT);
    let bytes = centroid(&issues, &frequencies(&issues)).to_bytes();
    let mut swapped = bytes.clone();
    swapped[8..32].rotate_left(12);
    let mut infinite = bytes.clone();
    infinite[16..20].copy_from_slice(&f32::INFINITY.to_le_bytes());
    let long: Vec<u8> = (0..257_u64)
        .flat_map(|hash| [&hash.to_le_bytes()[..], &1_f32.to_le_bytes()].concat())
        .collect();
    for damaged in [
        &bytes[..bytes.len() - 1],
        &bytes[..7],
        &swapped,
        &infinite,
        &[&bytes[..8], &long].concat(),
    ] {
        assert_eq!(Centroid::from_bytes(damaged), None);
    }
    assert_eq!(Terms::from_bytes(&long[..12 * 65]), None);
    assert!(Terms::from_bytes(&long[..12 * 64]).is_some());
}

#[test]
fn issues_that_are_removed_leave_nothing() {
    let issues = all(&EXPORT);
    let frequencies = frequencies(&issues);
    let mut centroid = centroid(&issues, &frequencies);
    assert_eq!(centroid.members(), 4);
    for terms in &issues {
        centroid.remove(terms);
    }
    assert_eq!(centroid, Centroid::default());
    centroid.remove(&issues[0]);
    assert_eq!(centroid, Centroid::default());
}

#[test]
fn centroids_are_bounded() {
    let frequencies = Frequencies::default();
    let mut centroid = Centroid::default();
    for number in 0..100 {
        let words: Vec<String> = (0..50).map(|word| format!("w{number}x{word}y")).collect();
        centroid.add(&terms(&issue(&words.join(" "))), &frequencies);
        centroid.add(&terms(&issue("password")), &frequencies);
    }
    assert_eq!(centroid.hashes().count(), 256);
    let password = terms(&issue("password")).hashes().next().unwrap();
    assert!(centroid.hashes().any(|hash| hash == password));
    assert_eq!(Centroid::from_bytes(&centroid.to_bytes()), Some(centroid));
}

#[test]
fn the_nearest_cluster_is_found() {
    let (export, password) = (all(&EXPORT), all(&PASSWORD));
    let frequencies = frequencies(&[export.clone(), password.clone()].concat());
    let mut index = Index::new(
        [
            ("export", centroid(&export, &frequencies)),
            ("password", centroid(&password[..2], &frequencies)),
        ],
        &frequencies,
    );
    let nearest = |index: &Index<&'static str>, title: &str| index.nearest(&terms(&issue(title)), &frequencies);
    let (cluster, similarity) = nearest(&index, "Exported PDF without images").unwrap();
    assert!(
        cluster == "export" && similarity > THRESHOLD && similarity <= 1.0,
        "{similarity}"
    );
    let (cluster, before) = nearest(&index, "mail for the password never comes").unwrap();
    assert_eq!(cluster, "password");
    assert_eq!(nearest(&index, "The sky is blue"), None);

    for terms in &password[2..] {
        index.add(&"password", terms, &frequencies);
    }
    assert_eq!(index.get(&"password").unwrap().members(), 4);
    let (_, after) = nearest(&index, "mail for the password never comes").unwrap();
    assert!(after > before, "{after} {before}");
    // What was added one by one is as if it had been there.
    let fresh = Index::new([("password", centroid(&password, &frequencies))], &frequencies);
    assert_eq!(
        nearest(&fresh, "mail for the password never comes"),
        Some(("password", after))
    );

    index.remove(&"password");
    assert!(index.get(&"password").is_none());
    assert_eq!(nearest(&index, "password"), None);
    index.add(&"password", &password[0], &frequencies);
    assert_eq!(nearest(&index, "password"), None);
    index.insert("password", centroid(&password, &frequencies), &frequencies);
    assert_eq!(
        nearest(&index, "mail for the password never comes"),
        Some(("password", after))
    );
}

#[test]
fn clusters_of_one_subject_are_merged() {
    let (export, password) = (all(&EXPORT), all(&PASSWORD));
    let frequencies = frequencies(&[export.clone(), password.clone()].concat());
    let clusters = [
        (1, centroid(&password[..1], &frequencies)),
        (2, centroid(&export, &frequencies)),
        (3, centroid(&password[1..], &frequencies)),
    ];
    let index = Index::new(clusters, &frequencies);
    let merge = Change::Merge { from: 1, into: 3 };
    // The smaller one ends, whichever has changed.
    for changed in [vec![1], vec![3], vec![1, 2, 3], vec![3, 2, 1]] {
        assert_eq!(
            merges(&index, &changed, &frequencies),
            std::slice::from_ref(&merge),
            "{changed:?}"
        );
    }
    assert_eq!(merges(&index, &[2], &frequencies), []);
    assert_eq!(merges(&index, &[], &frequencies), []);
    assert_eq!(merges(&index, &[4], &frequencies), []);
    let (mut merged, all) = (index.get(&3).unwrap().clone(), centroid(&password, &frequencies));
    merged.merge(index.get(&1).unwrap(), &frequencies);
    assert_eq!(merged.members(), 4);
    assert!(merged.hashes().eq(all.hashes()));
}

#[test]
fn a_cluster_is_in_one_change() {
    let password = all(&PASSWORD);
    let frequencies = frequencies(&password);
    let same = |key| (key, centroid(&password, &frequencies));
    let index = Index::new((0..5).map(same), &frequencies);
    let changes = merges(&index, &[0, 1, 2, 3, 4], &frequencies);
    assert_eq!(
        changes,
        [Change::Merge { from: 1, into: 0 }, Change::Merge { from: 3, into: 2 }]
    );
}

#[test]
fn clusters_of_two_subjects_are_split() {
    let mut titles: Vec<&str> = Vec::new();
    for (export, password) in EXPORT.iter().zip(PASSWORD) {
        titles.extend([*export, password]);
    }
    titles.push("Export the manual as PDF with images");
    let members = all(&titles);
    let frequencies = frequencies(&members);
    let parts = vec![vec![0, 2, 4, 6, 8], vec![1, 3, 5, 7]];
    let change = Change::Split {
        of: "mixed",
        members: parts,
    };
    assert_eq!(split("mixed", &members, &frequencies), Some(change));
    // Neither is a cluster of one subject, nor a single stray issue, nor the same issue many times.
    assert_eq!(
        split("export", &[all(&EXPORT), all(&EXPORT)].concat(), &frequencies),
        None
    );
    assert_eq!(
        split("stray", &[all(&EXPORT), all(&PASSWORD[..2])].concat(), &frequencies),
        None
    );
    assert_eq!(split("same", &vec![members[0].clone(); 10], &frequencies), None);
    assert_eq!(split("empty", &vec![Terms::default(); 10], &frequencies), None);
    assert_eq!(split("none", &[], &frequencies), None);
}

#[test]
fn what_is_split_is_not_merged_again() {
    let (export, password) = (all(&EXPORT), all(&PASSWORD));
    let frequencies = frequencies(&[export.clone(), password.clone()].concat());
    let index = Index::new(
        [
            (1, centroid(&export, &frequencies)),
            (2, centroid(&password, &frequencies)),
        ],
        &frequencies,
    );
    assert_eq!(merges(&index, &[1, 2], &frequencies), []);
}

#[test]
fn labels_are_of_the_most_typical_issue() {
    let icon_of = |titles: &[&str]| {
        let (issues, members): (Vec<FoundIssue>, Vec<Terms>) =
            titles.iter().map(|title| (issue(title), terms(&issue(title)))).unzip();
        let frequencies = frequencies(&members);
        label(&issues, &centroid(&members, &frequencies), &frequencies).unwrap()
    };
    let export = icon_of(&[&["Somebody has a question"][..], &EXPORT].concat());
    assert!(export.label.contains("PDF export of"), "{export:?}");
    assert_eq!(export.summary, export.label);
    assert_eq!(export.icon, "file-pdf");
    assert_eq!(icon_of(&PASSWORD).icon, "key");
    assert_eq!(
        icon_of(&["Kreditkarte abgelehnt", "Die Zahlung mit der Karte schlägt fehl"]).icon,
        "credit-card"
    );
    assert_eq!(
        icon_of(&["Facture introuvable", "Où sont mes factures ?"]).icon,
        "file-invoice-dollar"
    );
    assert_eq!(
        icon_of(&["Colourless green ideas sleep furiously"]).icon,
        "circle-question"
    );
    assert_eq!(label(&[], &Centroid::default(), &Frequencies::default()), None);
    assert!(export.label.chars().count() <= MAX_TITLE && export.summary.chars().count() <= MAX_SUMMARY);
}
