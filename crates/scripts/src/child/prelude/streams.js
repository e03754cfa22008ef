// The part of streams that scripts use: queues without strategies, one reader at a time.

class ReadableStream {
  #source;
  #queue = [];
  #waiting = [];
  #state = "readable";
  #error = undefined;
  #reader = null;
  #pulling = false;
  #started;
  #controller;
  #ended = Promise.withResolvers();
  constructor(source = {}) {
    this.#source = source ?? {};
    this.#ended.promise.catch(() => {});
    this.#controller = {
      enqueue: (chunk) => this.#enqueue(chunk),
      close: () => this.#close(),
      error: (error) => this.#fail(error),
      get desiredSize() {
        return 1;
      },
    };
    this.#started = Promise.resolve(this.#source.start?.(this.#controller)).catch((error) => this.#fail(error));
  }
  static from(values) {
    const iterator = values[Symbol.asyncIterator]?.() ?? values[Symbol.iterator]();
    return new ReadableStream({
      async pull(controller) {
        const { done, value } = await iterator.next();
        if (done) controller.close();
        else controller.enqueue(value);
      },
      cancel: (reason) => iterator.return?.(reason),
    });
  }
  #enqueue(chunk) {
    if (this.#state !== "readable") throw new TypeError("The stream is closed.");
    const waiting = this.#waiting.shift();
    if (waiting) waiting.resolve({ done: false, value: chunk });
    else this.#queue.push(chunk);
  }
  #close() {
    if (this.#state !== "readable") throw new TypeError("The stream is closed.");
    this.#state = "closed";
    for (const waiting of this.#waiting.splice(0)) waiting.resolve({ done: true, value: undefined });
    if (!this.#queue.length) this.#ended.resolve();
  }
  #fail(error) {
    if (this.#state !== "readable") return;
    this.#state = "errored";
    this.#error = error;
    this.#queue = [];
    for (const waiting of this.#waiting.splice(0)) waiting.reject(error);
    this.#ended.reject(error);
  }
  async #pull() {
    if (this.#pulling) return;
    this.#pulling = true;
    try {
      await this.#started;
      while (this.#waiting.length && this.#state === "readable" && this.#source.pull) {
        const before = this.#waiting.length;
        await this.#source.pull(this.#controller);
        // A source that enqueues later calls the controller by itself.
        if (this.#waiting.length === before) await Promise.resolve();
        if (this.#waiting.length === before) break;
      }
    } catch (error) {
      this.#fail(error);
    } finally {
      this.#pulling = false;
    }
  }
  #read() {
    if (this.#queue.length) {
      const value = this.#queue.shift();
      if (!this.#queue.length && this.#state === "closed") this.#ended.resolve();
      return Promise.resolve({ done: false, value });
    }
    if (this.#state === "closed") return Promise.resolve({ done: true, value: undefined });
    if (this.#state === "errored") return Promise.reject(this.#error);
    const waiting = Promise.withResolvers();
    this.#waiting.push(waiting);
    this.#pull();
    return waiting.promise;
  }
  async #cancel(reason) {
    if (this.#state === "errored") throw this.#error;
    if (this.#state === "closed") return;
    this.#queue = [];
    this.#close();
    await this.#source.cancel?.(reason);
  }
  get locked() {
    return this.#reader !== null;
  }
  getReader() {
    if (this.#reader) throw new TypeError("The stream is locked.");
    const isHeld = () => {
      if (this.#reader !== reader) throw new TypeError("The reader has been released.");
    };
    const ended = this.#ended.promise;
    const reader = {
      read: async () => {
        isHeld();
        return this.#read();
      },
      cancel: async (reason) => {
        isHeld();
        return this.#cancel(reason);
      },
      releaseLock: () => {
        if (this.#reader === reader) this.#reader = null;
      },
      get closed() {
        return ended;
      },
    };
    this.#reader = reader;
    return reader;
  }
  async cancel(reason) {
    if (this.#reader) throw new TypeError("The stream is locked.");
    return this.#cancel(reason);
  }
  tee() {
    const reader = this.getReader();
    const controllers = [];
    let reading = false;
    const pull = async () => {
      if (reading) return;
      reading = true;
      try {
        const { done, value } = await reader.read();
        for (const controller of controllers) {
          try {
            if (done) controller.close();
            else controller.enqueue(value);
          } catch {
            // This branch has been cancelled.
          }
        }
      } catch (error) {
        for (const controller of controllers) controller.error(error);
      } finally {
        reading = false;
      }
    };
    const branch = () => new ReadableStream({ start: (controller) => void controllers.push(controller), pull });
    return [branch(), branch()];
  }
  async pipeTo(target, { preventClose = false } = {}) {
    const reader = this.getReader();
    const writer = target.getWriter();
    try {
      for (;;) {
        const { done, value } = await reader.read();
        if (done) break;
        await writer.write(value);
      }
      if (!preventClose) await writer.close();
    } catch (error) {
      await writer.abort(error);
      await reader.cancel(error).catch(() => {});
      throw error;
    } finally {
      reader.releaseLock();
      writer.releaseLock();
    }
  }
  pipeThrough({ readable, writable }, options) {
    this.pipeTo(writable, options).catch(() => {});
    return readable;
  }
  async *values() {
    const reader = this.getReader();
    let isDone = false;
    try {
      for (;;) {
        const { done, value } = await reader.read();
        if (done) break;
        yield value;
      }
      isDone = true;
    } finally {
      if (!isDone) await reader.cancel();
      reader.releaseLock();
    }
  }
  [Symbol.asyncIterator]() {
    return this.values();
  }
}

class WritableStream {
  #sink;
  #writer = null;
  #last;
  #state = "writable";
  #error = undefined;
  #controller;
  #ended = Promise.withResolvers();
  constructor(sink = {}) {
    this.#sink = sink ?? {};
    this.#ended.promise.catch(() => {});
    this.#controller = { error: (error) => this.#fail(error) };
    this.#last = Promise.resolve(this.#sink.start?.(this.#controller));
    this.#last.catch((error) => this.#fail(error));
  }
  #fail(error) {
    if (this.#state !== "writable") return;
    this.#state = "errored";
    this.#error = error;
    this.#ended.reject(error);
  }
  #then(work) {
    const next = this.#last.then(() => {
      if (this.#state === "errored") throw this.#error;
      return work();
    });
    this.#last = next;
    next.catch((error) => this.#fail(error));
    return next.then(() => {});
  }
  get locked() {
    return this.#writer !== null;
  }
  async #close() {
    if (this.#state === "closed") throw new TypeError("The stream is closed.");
    await this.#then(() => this.#sink.close?.());
    this.#state = "closed";
    this.#ended.resolve();
  }
  async #abort(reason) {
    if (this.#state !== "writable") return;
    this.#fail(reason);
    await this.#sink.abort?.(reason);
  }
  getWriter() {
    if (this.#writer) throw new TypeError("The stream is locked.");
    const ended = this.#ended.promise;
    const ready = () => this.#last.then(() => {});
    const writer = {
      write: async (chunk) => {
        if (this.#state === "closed") throw new TypeError("The stream is closed.");
        return this.#then(() => this.#sink.write?.(chunk, this.#controller));
      },
      close: async () => this.#close(),
      abort: async (reason) => this.#abort(reason),
      releaseLock: () => {
        if (this.#writer === writer) this.#writer = null;
      },
      get ready() {
        return ready();
      },
      get closed() {
        return ended;
      },
      desiredSize: 1,
    };
    this.#writer = writer;
    return writer;
  }
  async close() {
    if (this.#writer) throw new TypeError("The stream is locked.");
    return this.#close();
  }
  async abort(reason) {
    if (this.#writer) throw new TypeError("The stream is locked.");
    return this.#abort(reason);
  }
}

class TransformStream {
  constructor(transformer = {}) {
    let output;
    this.readable = new ReadableStream({ start: (controller) => void (output = controller) });
    const controller = {
      enqueue: (chunk) => output.enqueue(chunk),
      error: (error) => output.error(error),
      terminate: () => output.close(),
      desiredSize: 1,
    };
    const transform = transformer?.transform ?? ((chunk) => output.enqueue(chunk));
    this.writable = new WritableStream({
      start: () => transformer?.start?.(controller),
      write: async (chunk) => {
        try {
          await transform.call(transformer, chunk, controller);
        } catch (error) {
          output.error(error);
          throw error;
        }
      },
      close: async () => {
        try {
          await transformer?.flush?.(controller);
          output.close();
        } catch (error) {
          output.error(error);
          throw error;
        }
      },
      abort: (reason) => output.error(reason),
    });
  }
}

class TextDecoderStream extends TransformStream {
  constructor(label, options) {
    const decoder = new TextDecoder(label, options);
    super({
      transform(chunk, controller) {
        const decoded = decoder.decode(chunk, { stream: true });
        if (decoded) controller.enqueue(decoded);
      },
      flush(controller) {
        const decoded = decoder.decode();
        if (decoded) controller.enqueue(decoded);
      },
    });
    this.encoding = decoder.encoding;
  }
}

class TextEncoderStream extends TransformStream {
  encoding = "utf-8";
  constructor() {
    super({ transform: (chunk, controller) => controller.enqueue(encode(chunk)) });
  }
}

expose({ ReadableStream, WritableStream, TransformStream, TextDecoderStream, TextEncoderStream });
