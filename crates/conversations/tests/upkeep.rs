//! Clusters as they are stored, made anew and labelled.

use std::collections::HashMap;

use conversations::{
    FoundIssue, MAX_SUMMARY, MAX_TITLE,
    clusters::{Centroid, Frequencies, Index, THRESHOLD, Terms, communities, kept, label, terms},
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
        frequencies.count(terms);
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

    // A cluster that is not there stays so.
    index.add(&"invoice", &password[0], &frequencies);
    assert!(index.get(&"invoice").is_none());
    index.insert("password", centroid(&export, &frequencies), &frequencies);
    assert_eq!(nearest(&index, "mail for the password never comes"), None);
}

/// The places of the issues of each community, in their order.
fn groups(communities: &[usize]) -> Vec<Vec<usize>> {
    let mut groups: HashMap<usize, Vec<usize>> = HashMap::new();
    for (place, community) in communities.iter().enumerate() {
        groups.entry(*community).or_default().push(place);
    }
    let mut groups: Vec<Vec<usize>> = groups.into_values().collect();
    groups.sort_unstable();
    groups
}

#[test]
fn issues_of_one_subject_are_a_community() {
    let mut titles: Vec<&str> = Vec::new();
    for (export, password) in EXPORT.iter().zip(PASSWORD) {
        titles.extend([*export, password]);
    }
    titles.push("The sky is blue");
    let issues = all(&titles);
    let expected = [vec![0, 2, 4, 6], vec![1, 3, 5, 7], vec![8]];
    assert_eq!(groups(&communities(&issues)), expected);
    // In any order, and among more of the same.
    let reversed: Vec<Terms> = issues.iter().rev().cloned().collect();
    let mut back = communities(&reversed);
    back.reverse();
    assert_eq!(groups(&back), expected);
    let many: Vec<Terms> = issues.iter().cycle().take(90).cloned().collect();
    let places = |group: &Vec<usize>| -> Vec<usize> { group.iter().copied().filter(|place| *place < 9).collect() };
    let groups_of_many: Vec<Vec<usize>> = groups(&communities(&many)).iter().map(places).collect();
    assert_eq!(groups_of_many, expected);
}

#[test]
fn issues_without_words_are_alone() {
    assert_eq!(communities(&[]), Vec::<usize>::new());
    let issues = [vec![Terms::default(); 3], all(&EXPORT)].concat();
    let groups = groups(&communities(&issues));
    assert_eq!(groups, [vec![0], vec![1], vec![2], vec![3, 4, 5, 6]]);
}

/// The issues have the words of a subject, and words of their own.
#[test]
fn many_subjects_are_told_apart() {
    let (subjects, of_each) = (40, 50);
    let issues = (0..subjects * of_each).map(|number| {
        let subject = number % subjects;
        let own = format!("own{}q other{}q", number % 97, number % 89);
        terms(&issue(&format!("w{subject}a w{subject}b w{subject}c {own}")))
    });
    let communities = communities(&issues.collect::<Vec<Terms>>());
    let groups = groups(&communities);
    assert_eq!(groups.len(), subjects);
    assert!(
        groups
            .iter()
            .all(|group| group.len() == of_each && group[0] % subjects == group[1] % subjects)
    );
}

#[test]
fn communities_keep_the_key_with_the_largest_overlap() {
    let keys = |pairs: &[(usize, char)]| {
        let mut kept: Vec<(usize, char)> = kept(pairs.iter().copied()).into_iter().collect();
        kept.sort_unstable();
        kept
    };
    // A cluster is taken apart: the larger part keeps its key.
    assert_eq!(keys(&[(0, 'a'), (1, 'a'), (1, 'a')]), [(1, 'a')]);
    // Clusters are put together: the key of the larger one is kept.
    assert_eq!(keys(&[(0, 'a'), (0, 'b'), (0, 'b')]), [(0, 'b')]);
    // Of two that want one, the smaller takes what is left.
    assert_eq!(
        keys(&[(0, 'b'), (0, 'b'), (0, 'b'), (1, 'b'), (1, 'b'), (1, 'a')]),
        [(0, 'b'), (1, 'a')]
    );
    assert_eq!(keys(&[]), []);
}

#[test]
fn interrupted_moves_go_on_to_the_same_keys() {
    let before = [
        (0, 'a'),
        (0, 'a'),
        (0, 'b'),
        (1, 'a'),
        (1, 'a'),
        (1, 'b'),
        (2, 'b'),
        (2, 'b'),
        (3, 'a'),
    ];
    let all = kept(before);
    // Each issue goes over on its own, in any order; a community without a key gets a new one.
    let target = |community: usize| {
        all.get(&community)
            .copied()
            .unwrap_or(char::from(b'w' + community as u8))
    };
    for moved in 0..1_u32 << before.len() {
        let issues = before.iter().enumerate().map(|(place, (community, key))| {
            let is_moved = moved & (1 << place) != 0;
            (*community, if is_moved { target(*community) } else { *key })
        });
        for (community, key) in kept(issues) {
            assert_eq!(key, target(community), "{moved:b}");
        }
    }
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
