package io.loligo.server.wire;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import org.apache.commons.codec.digest.Md5Crypt;

/** A file of users, and the credentials of clients. Stateless. */
final class LoginFile {
  private LoginFile() {}

  /** Writes {@code USER:PASSWORD} logins with hashes of apr1, which Squid knows too. */
  static Path write(Path file, String... logins) throws IOException {
    List<String> lines = new ArrayList<>();
    for (String login : logins) {
      int colon = login.indexOf(':');
      byte[] password = login.substring(colon + 1).getBytes(StandardCharsets.ISO_8859_1);
      lines.add(login.substring(0, colon + 1) + Md5Crypt.apr1Crypt(password, "$apr1$saltsalt"));
    }
    Files.write(file, lines, StandardCharsets.ISO_8859_1);
    // Squid started by root runs as another user
    file.toFile().setReadable(true, false);
    return file;
  }

  /** The value of Proxy-Authorization for {@code USER:PASSWORD}. */
  static String basic(String login) {
    byte[] clear = login.getBytes(StandardCharsets.ISO_8859_1);
    return "Basic " + Base64.getEncoder().encodeToString(clear);
  }

  /** The field line of it. */
  static String line(String login) {
    return "Proxy-Authorization: " + basic(login);
  }

  /** A hash that takes next to no time. */
  static String sha(String password) {
    try {
      byte[] digest =
          MessageDigest.getInstance("SHA-1").digest(password.getBytes(StandardCharsets.ISO_8859_1));
      return "{SHA}" + Base64.getEncoder().encodeToString(digest);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e);
    }
  }
}
