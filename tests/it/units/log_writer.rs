//! Lines of the log on their way to the output.

use std::io::{self, Write};

use bindery::commands::logs::writer::{LineBuffer, LineWriter, MAX_BYTES};
use std::sync::mpsc::{Receiver, Sender, channel};

/// Passes on what is written, each time once it was told to.
struct Gate {
    open: Receiver<()>,
    written: Sender<Vec<u8>>,
}

impl Write for Gate {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.open.recv().unwrap();
        self.written.send(bytes.to_vec()).unwrap();
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[test]
fn lines_are_written_in_order_and_the_last_ones_at_the_stop() {
    let (open, gate) = channel();
    let (written, all) = channel();
    let lines = LineBuffer::default();
    let writer = LineWriter::start(lines.clone(), Gate { open: gate, written }).unwrap();
    for _ in 0..1000 {
        open.send(()).unwrap();
    }
    for number in 0..1000 {
        lines.push(format!("{number}\n").as_bytes());
    }
    writer.stop();
    let text = String::from_utf8(all.iter().flatten().collect()).unwrap();
    let expected: String = (0..1000).map(|number| format!("{number}\n")).collect();
    assert_eq!(text, expected);
}

#[test]
fn lines_without_room_are_counted() {
    let lines = LineBuffer::default();
    let line = vec![b'x'; MAX_BYTES / 4];
    for _ in 0..7 {
        lines.push(&line);
    }
    let mut taken = Vec::new();
    assert_eq!(lines.take(&mut taken), (3, false));
    assert_eq!(taken.len(), MAX_BYTES);
    lines.push(b"again\n");
    lines.stop();
    taken.clear();
    assert_eq!(lines.take(&mut taken), (0, true));
    assert_eq!(taken, b"again\n");
}
