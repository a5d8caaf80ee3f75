package io.loligo.server.tls;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.Key;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Reads key pairs. The content tells the form: PEM, with the key in the same or in another file, or
 * a key store of PKCS#12 or JKS. Stateless; blocks.
 */
public final class KeyPairFile {
  private static final int JKS_MAGIC = 0xfeedfeed;

  private KeyPairFile() {}

  /**
   * The key pair of {@code files}.
   *
   * @param password of an encrypted key or a key store; null: none is known
   * @param now a certificate that has expired by then is not used
   * @throws TlsFileException if a file cannot be read, the key is not that of the certificate, or
   *     the certificate has expired
   */
  public static KeyPair read(CertificateFiles files, char @Nullable [] password, Instant now)
      throws TlsFileException {
    byte[] bytes = bytes(files.certificate());
    String text = new String(bytes, StandardCharsets.ISO_8859_1);
    try {
      KeyPair pair =
          PemText.isIn(text) ? ofPem(files, text, password) : ofStore(files, bytes, password);
      if (!KeyPair.match(pair.key(), pair.certificate().getPublicKey())) {
        throw new TlsFileException(
            files.certificate(), "the key of " + files.key() + " is not that of the certificate");
      }
      if (pair.expiry().isBefore(now)) {
        throw new TlsFileException(
            files.certificate(), "the certificate expired at " + pair.expiry());
      }
      return pair;
    } catch (GeneralSecurityException | IllegalArgumentException e) {
      throw new TlsFileException(files.toString(), e);
    }
  }

  static byte[] bytes(String path) throws TlsFileException {
    try {
      return Files.readAllBytes(Path.of(path));
    } catch (IOException | InvalidPathException e) {
      throw new TlsFileException(path, e);
    }
  }

  private static KeyPair ofPem(CertificateFiles files, String text, char @Nullable [] password)
      throws GeneralSecurityException, TlsFileException {
    List<PemText.Block> blocks = PemText.blocks(text);
    boolean together = files.key().equals(files.certificate());
    List<PemText.Block> keyBlocks =
        together
            ? blocks
            : PemText.blocks(new String(bytes(files.key()), StandardCharsets.ISO_8859_1));
    PrivateKey key = PrivateKeys.first(keyBlocks, password);
    if (key == null) {
      throw new TlsFileException(files.key(), "it has no private key");
    }
    List<X509Certificate> chain = certificates(blocks);
    if (chain.isEmpty()) {
      throw new TlsFileException(files.certificate(), "it has no certificate");
    }
    return new KeyPair(ordered(chain, key), key, files);
  }

  static List<X509Certificate> certificates(List<PemText.Block> blocks)
      throws GeneralSecurityException {
    CertificateFactory factory = CertificateFactory.getInstance("X.509");
    List<X509Certificate> certificates = new ArrayList<>();
    for (PemText.Block block : blocks) {
      if (block.label().endsWith("CERTIFICATE")) {
        certificates.add(
            (X509Certificate) factory.generateCertificate(new ByteArrayInputStream(block.der())));
      }
    }
    return certificates;
  }

  /** The certificate of {@code key} first, wherever it is in the file. */
  private static List<X509Certificate> ordered(List<X509Certificate> chain, PrivateKey key)
      throws GeneralSecurityException {
    for (int i = 0; i < chain.size(); i++) {
      if (KeyPair.match(key, chain.get(i).getPublicKey())) {
        Collections.rotate(chain.subList(0, i + 1), 1);
        break;
      }
    }
    return List.copyOf(chain);
  }

  private static KeyPair ofStore(CertificateFiles files, byte[] bytes, char @Nullable [] password)
      throws GeneralSecurityException, TlsFileException {
    boolean jks = bytes.length > 4 && ByteBuffer.wrap(bytes).getInt() == JKS_MAGIC;
    if (!jks && (bytes.length == 0 || (bytes[0] & 0xff) != Der.SEQUENCE)) {
      throw new TlsFileException(files.certificate(), "it is neither PEM nor PKCS#12 nor JKS");
    }
    KeyStore store = KeyStore.getInstance(jks ? "JKS" : "PKCS12");
    char[] known = password == null ? new char[0] : password;
    try {
      store.load(new ByteArrayInputStream(bytes), known);
    } catch (IOException e) {
      throw new TlsFileException(files.certificate(), e);
    }
    for (String alias : Collections.list(store.aliases())) {
      Key key = store.getKey(alias, known);
      Certificate[] chain = store.getCertificateChain(alias);
      if (key instanceof PrivateKey privateKey && chain != null) {
        List<X509Certificate> certificates = new ArrayList<>();
        for (Certificate certificate : chain) {
          certificates.add((X509Certificate) certificate);
        }
        return new KeyPair(List.copyOf(certificates), privateKey, files);
      }
    }
    throw new TlsFileException(files.certificate(), "it has no private key");
  }
}
