// The part of Web Crypto that scripts use: SHA, HMAC, AES-GCM, and signatures with RSASSA-PKCS1-v1_5.

const keyData = new WeakMap();
const makeKey = Symbol("make key");
const HASHES = new Set(["SHA-1", "SHA-256", "SHA-384", "SHA-512"]);
const unsupported = (message) => new DOMException(message, "NotSupportedError");
const invalid = (message) => new DOMException(message, "OperationError");

class CryptoKey {
  constructor(secret, members, bytes) {
    if (secret !== makeKey) throw new TypeError("Illegal constructor");
    Object.assign(this, members);
    Object.freeze(this);
    keyData.set(this, bytes);
  }
}

const hashOf = (algorithm) => {
  const name = text(typeof algorithm === "string" ? algorithm : algorithm?.name).toUpperCase();
  if (!HASHES.has(name)) throw unsupported(`The hash ${name} is not supported.`);
  return name;
};
const nameOf = (algorithm) => text(typeof algorithm === "string" ? algorithm : algorithm?.name);
const keyFor = (key, name, usage) => {
  if (!(key instanceof CryptoKey)) throw new TypeError("The key is not a CryptoKey.");
  if (key.algorithm.name !== name || !key.usages.includes(usage)) {
    throw new DOMException("The key does not allow this.", "InvalidAccessError");
  }
  return base64(keyData.get(key));
};
const fromHost = (buffer, message) => {
  if (buffer === undefined) throw invalid(message);
  return buffer;
};

const encodings = {
  raw: (bytes) => bytes.slice().buffer,
  jwk: (bytes, key) => ({
    kty: "oct",
    k: bytes.toBase64({ alphabet: "base64url", omitPadding: true }),
    ext: true,
    key_ops: [...key.usages],
  }),
};

class SubtleCrypto {
  async digest(algorithm, data) {
    return host.digest(hashOf(algorithm), base64(bytesOf(data)));
  }
  async importKey(format, data, algorithm, extractable, usages) {
    const name = nameOf(algorithm);
    let bytes;
    if (format === "jwk") {
      if (data?.kty !== "oct") throw unsupported("Only symmetric keys can be imported as JWK.");
      bytes = Uint8Array.fromBase64(data.k, { alphabet: "base64url" });
    } else {
      bytes = bytesOf(data).slice();
    }
    const members = { extractable: Boolean(extractable), usages: Object.freeze([...usages]), type: "secret" };
    if (name === "HMAC" && format !== "pkcs8") {
      members.algorithm = { name, hash: { name: hashOf(algorithm.hash) }, length: bytes.length * 8 };
    } else if (name === "AES-GCM" && format !== "pkcs8") {
      if (bytes.length !== 16 && bytes.length !== 32) throw new DOMException("The key has to have 128 or 256 bits.", "DataError");
      members.algorithm = { name, length: bytes.length * 8 };
    } else if (name === "RSASSA-PKCS1-v1_5" && format === "pkcs8") {
      const modulusLength = host.rsaModulusLength(base64(bytes));
      if (modulusLength === undefined) throw new DOMException("The key is not a private RSA key as PKCS #8.", "DataError");
      members.type = "private";
      members.algorithm = { name, hash: { name: hashOf(algorithm.hash) }, modulusLength };
    } else {
      throw unsupported(`Keys of ${name} cannot be imported as ${format}.`);
    }
    Object.freeze(members.algorithm);
    return new CryptoKey(makeKey, members, bytes);
  }
  async exportKey(format, key) {
    if (!(key instanceof CryptoKey)) throw new TypeError("The key is not a CryptoKey.");
    if (!key.extractable) throw new DOMException("The key cannot be exported.", "InvalidAccessError");
    if (key.type !== "secret" || !encodings[format]) throw unsupported(`The key cannot be exported as ${format}.`);
    return encodings[format](keyData.get(key), key);
  }
  async generateKey(algorithm, extractable, usages) {
    const name = nameOf(algorithm);
    if (name !== "HMAC" && name !== "AES-GCM") throw unsupported(`Keys of ${name} cannot be generated.`);
    const bits = algorithm.length ?? (name === "HMAC" ? (hashOf(algorithm.hash) >= "SHA-384" ? 1024 : 512) : 0);
    if (!(bits >= 8 && bits <= 65536)) throw invalid("The length of the key is not supported.");
    const bytes = crypto.getRandomValues(new Uint8Array(bits / 8));
    return this.importKey("raw", bytes, algorithm, extractable, usages);
  }
  async sign(algorithm, key, data) {
    const name = nameOf(algorithm);
    const bytes = keyFor(key, name, "sign");
    const hash = key.algorithm.hash?.name;
    if (name === "HMAC") return host.hmac(hash, bytes, base64(bytesOf(data)));
    if (name === "RSASSA-PKCS1-v1_5") return fromHost(host.rsaSign(hash, bytes, base64(bytesOf(data))), "The key cannot sign.");
    throw unsupported(`${name} cannot sign.`);
  }
  async verify(algorithm, key, signature, data) {
    const name = nameOf(algorithm);
    if (name !== "HMAC") throw unsupported(`${name} cannot verify.`);
    const bytes = keyFor(key, name, "verify");
    return host.hmacVerify(key.algorithm.hash.name, bytes, base64(bytesOf(data)), base64(bytesOf(signature)));
  }
  async encrypt(algorithm, key, data) {
    return this.#cipher(true, algorithm, key, data);
  }
  async decrypt(algorithm, key, data) {
    return this.#cipher(false, algorithm, key, data);
  }
  #cipher(isEncryption, algorithm, key, data) {
    const name = nameOf(algorithm);
    if (name !== "AES-GCM") throw unsupported(`${name} cannot encrypt.`);
    const bytes = keyFor(key, name, isEncryption ? "encrypt" : "decrypt");
    if ((algorithm.tagLength ?? 128) !== 128) throw unsupported("Tags have 128 bits.");
    const iv = bytesOf(algorithm.iv);
    if (iv.length !== 12) throw unsupported("Initialization vectors have 12 bytes.");
    const additional = algorithm.additionalData === undefined ? "" : base64(bytesOf(algorithm.additionalData));
    const result = host.aesGcm(isEncryption, bytes, base64(iv), additional, base64(bytesOf(data)));
    return fromHost(result, "The data cannot be decrypted with this key.");
  }
}

class Crypto {
  subtle = new SubtleCrypto();
  getRandomValues(array) {
    if (!isView(array)) throw new TypeError("The argument is not a typed array.");
    if (array.byteLength > 65536) throw new DOMException("At most 65,536 bytes at once.", "QuotaExceededError");
    bytesOf(array).set(new Uint8Array(host.random(array.byteLength)));
    return array;
  }
  randomUUID() {
    return host.randomUuid();
  }
}

const crypto = new Crypto();
expose({ CryptoKey, SubtleCrypto, Crypto, crypto });
