package io.loligo.server.tls;

import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The blocks of a text in PEM (RFC 7468). Stateless. */
final class PemText {
  private static final Pattern BLOCK =
      Pattern.compile("-----BEGIN ([A-Z0-9 ]+)-----(.*?)-----END \\1-----", Pattern.DOTALL);

  /**
   * One block.
   *
   * @param label such as {@code CERTIFICATE}
   * @param der its bytes
   */
  record Block(String label, byte[] der) {}

  private PemText() {}

  /** Whether {@code text} has a block. */
  static boolean isIn(String text) {
    return text.contains("-----BEGIN ");
  }

  /**
   * The blocks in their order. Text between them is left out.
   *
   * @throws IllegalArgumentException if one cannot be decoded
   */
  static List<Block> blocks(String text) {
    List<Block> blocks = new ArrayList<>();
    for (Matcher found = BLOCK.matcher(text); found.find(); ) {
      String content = found.group(2);
      if (content.contains("Proc-Type:")) {
        throw new IllegalArgumentException(
            found.group(1) + " is encrypted in an old form; convert it to PKCS#8");
      }
      blocks.add(new Block(found.group(1), Base64.getMimeDecoder().decode(content)));
    }
    return blocks;
  }
}
