package io.loligo.server.tls;

import java.nio.ByteBuffer;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.PrivateKey;
import java.security.spec.InvalidKeySpecException;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.List;
import javax.crypto.Cipher;
import javax.crypto.EncryptedPrivateKeyInfo;
import javax.crypto.SecretKeyFactory;
import javax.crypto.spec.PBEKeySpec;
import org.jspecify.annotations.Nullable;

/**
 * Private keys of PEM blocks: PKCS#8 (plain or encrypted), PKCS#1 for RSA, and SEC1 for elliptic
 * curves. Stateless.
 */
final class PrivateKeys {
  private static final byte[] VERSION_0 = {Der.INTEGER, 1, 0};
  private static final byte[] NULL = {5, 0};

  /** 1.2.840.113549.1.1.1. */
  private static final byte[] RSA = {
    Der.OBJECT, 9, 0x2a, (byte) 0x86, 0x48, (byte) 0x86, (byte) 0xf7, 0x0d, 1, 1, 1
  };

  /** 1.2.840.10045.2.1. */
  private static final byte[] EC = {
    Der.OBJECT, 7, 0x2a, (byte) 0x86, 0x48, (byte) 0xce, 0x3d, 2, 1
  };

  private static final String ENCRYPTED = "ENCRYPTED PRIVATE KEY";

  private PrivateKeys() {}

  /** Whether a block with this label is a private key. */
  static boolean isKey(String label) {
    return label.endsWith("PRIVATE KEY");
  }

  /**
   * The first key among {@code blocks}; null: there is none.
   *
   * @param password of an encrypted key; null: none is known
   * @throws GeneralSecurityException if it cannot be decoded
   */
  static @Nullable PrivateKey first(List<PemText.Block> blocks, char @Nullable [] password)
      throws GeneralSecurityException {
    byte[] curve = null;
    for (PemText.Block block : blocks) {
      switch (block.label()) {
        case "EC PARAMETERS" -> curve = block.der();
        case "PRIVATE KEY" -> {
          return decoded(block.der());
        }
        case ENCRYPTED -> {
          return decoded(decrypted(block.der(), password));
        }
        case "RSA PRIVATE KEY" -> {
          return decoded(wrapped(Der.element(Der.SEQUENCE, RSA, NULL), block.der()));
        }
        case "EC PRIVATE KEY" -> {
          return decoded(wrappedCurve(block.der(), curve));
        }
        default -> {
          if (isKey(block.label())) {
            throw new InvalidKeySpecException(block.label() + ": keys of RSA and EC are supported");
          }
        }
      }
    }
    return null;
  }

  private static PrivateKey decoded(byte[] pkcs8) throws GeneralSecurityException {
    PKCS8EncodedKeySpec spec = new PKCS8EncodedKeySpec(pkcs8);
    try {
      return KeyFactory.getInstance("RSA").generatePrivate(spec);
    } catch (InvalidKeySpecException notRsa) {
      try {
        return KeyFactory.getInstance("EC").generatePrivate(spec);
      } catch (InvalidKeySpecException notEc) {
        notEc.addSuppressed(notRsa);
        throw new InvalidKeySpecException("the key is neither one of RSA nor of EC", notEc);
      }
    }
  }

  /** PKCS#8 (RFC 5208) around a key with this algorithm. */
  private static byte[] wrapped(byte[] algorithm, byte[] key) {
    return Der.element(Der.SEQUENCE, VERSION_0, algorithm, Der.element(Der.OCTETS, key));
  }

  /** The same around a key of RFC 5915, which names its curve unless a block before it does. */
  private static byte[] wrappedCurve(byte[] key, byte @Nullable [] curve) {
    ByteBuffer in = Der.content(ByteBuffer.wrap(key), Der.SEQUENCE);
    Der.content(in, Der.INTEGER);
    Der.content(in, Der.OCTETS);
    byte[] named = curve;
    if (in.hasRemaining() && (in.get(in.position()) & 0xff) == Der.FIRST_TAGGED) {
      named = Der.rest(Der.content(in, Der.FIRST_TAGGED));
    }
    if (named == null) {
      throw new IllegalArgumentException("the key does not name its curve");
    }
    return wrapped(Der.element(Der.SEQUENCE, EC, named), key);
  }

  private static byte[] decrypted(byte[] der, char @Nullable [] password)
      throws GeneralSecurityException {
    if (password == null) {
      throw new InvalidKeySpecException("the key is encrypted; give one without a password");
    }
    try {
      EncryptedPrivateKeyInfo encrypted = new EncryptedPrivateKeyInfo(der);
      String name = encrypted.getAlgName();
      // JDK 17 names the whole scheme only in the text of its parameters
      String algorithm =
          name.equals("PBES2") || name.equals("1.2.840.113549.1.5.13")
              ? encrypted.getAlgParameters().toString()
              : name;
      Cipher cipher = Cipher.getInstance(algorithm);
      cipher.init(
          Cipher.DECRYPT_MODE,
          SecretKeyFactory.getInstance(algorithm).generateSecret(new PBEKeySpec(password)),
          encrypted.getAlgParameters());
      return encrypted.getKeySpec(cipher).getEncoded();
    } catch (java.io.IOException e) {
      throw new InvalidKeySpecException("the encrypted key is not valid", e);
    }
  }
}
