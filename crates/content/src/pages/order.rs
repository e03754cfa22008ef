//! Sort keys of pages among their siblings.

use fractional_index::FractionalIndex;
use serde::{Deserialize, Serialize};

/// Orders siblings. There is always one between two different ones, so that moving a page changes no other.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Order(#[serde(with = "fractional_index::stringify")] FractionalIndex);

impl Order {
    /// Returns a sort key between two siblings. `None`: the keys are equal or not in order, as after concurrent inserts.
    pub fn between(before: Option<&Self>, after: Option<&Self>) -> Option<Self> {
        FractionalIndex::new(before.map(|it| &it.0), after.map(|it| &it.0)).map(Self)
    }
}

/// Returns short sort keys for this many siblings.
pub fn spread(count: usize) -> Vec<Order> {
    let mut places = vec![None; count];
    fill(&mut places, None, None);
    places.into_iter().flatten().collect()
}

fn fill(places: &mut [Option<Order>], before: Option<&Order>, after: Option<&Order>) {
    let middle = places.len() / 2;
    let (left, rest) = places.split_at_mut(middle);
    let Some((place, right)) = rest.split_first_mut() else {
        return;
    };
    let order = Order::between(before, after).unwrap_or_default();
    fill(left, before, Some(&order));
    fill(right, Some(&order), after);
    *place = Some(order);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_in_order_and_short() {
        let places = spread(10_000);
        assert_eq!(places.len(), 10_000);
        assert!(places.is_sorted_by(|one, other| one < other));
        let longest = places.iter().map(|place| place.0.as_bytes().len()).max();
        assert!(longest <= Some(16), "{longest:?}");
    }

    #[test]
    fn there_is_always_one_between() {
        let (mut low, high) = (Order::default(), Order::between(Some(&Order::default()), None).unwrap());
        for _ in 0..200 {
            let middle = Order::between(Some(&low), Some(&high)).unwrap();
            assert!(low < middle && middle < high);
            low = middle;
        }
        assert_eq!(Order::between(Some(&high), Some(&high)), None);
    }
}
