package io.loligo.server.exchange.settings.pages;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * A page or a text with places for facts: bytes of UTF-8, and a code of one letter between each two
 * of them. Immutable; the arrays are not copies.
 *
 * @param pieces the bytes before, between and after the facts
 * @param codes the code of each fact; one less than pieces
 */
public record PageTemplate(List<byte[]> pieces, String codes) {
  /**
   * Divides {@code text}.
   *
   * @param known the codes that stand for facts; any other percent sign stays as it is
   */
  public static PageTemplate of(String text, String known) {
    List<byte[]> pieces = new ArrayList<>();
    StringBuilder codes = new StringBuilder();
    StringBuilder piece = new StringBuilder();
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      char code = c == '%' && i + 1 < text.length() ? text.charAt(i + 1) : 0;
      if (code != 0 && known.indexOf(code) >= 0) {
        pieces.add(piece.toString().getBytes(StandardCharsets.UTF_8));
        piece.setLength(0);
        codes.append(code);
        i++;
      } else {
        piece.append(c);
      }
    }
    pieces.add(piece.toString().getBytes(StandardCharsets.UTF_8));
    return new PageTemplate(List.copyOf(pieces), codes.toString());
  }
}
