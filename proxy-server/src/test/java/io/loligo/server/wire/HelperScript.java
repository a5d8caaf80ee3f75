package io.loligo.server.wire;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * A helper program for tests: a script of {@code /bin/sh} that notes each question in a file, and
 * answers by the first matching case. Immutable.
 */
final class HelperScript {
  private final Path script;
  private final Path asked;

  private HelperScript(Path script, Path asked) {
    this.script = script;
    this.asked = asked;
  }

  /**
   * Writes a script.
   *
   * @param cases alternatives over the question without its channel: {@code $q} is the question,
   *     {@code $word} its first word, {@code $id} the channel with a blank, if any
   */
  static HelperScript write(Path dir, String name, boolean channels, String... cases)
      throws IOException {
    Path asked = Files.createFile(dir.resolve(name + ".asked"));
    String read = channels ? "read -r id q" : "read -r q";
    String text =
        "#!/bin/sh\nid=\n"
            + ("while " + read + "; do\n")
            + (channels ? "id=\"$id \"\n" : "")
            + ("printf '%s\\n' \"$q\" >> " + asked + "\n")
            + "word=${q%% *}\ncase \"$q\" in\n"
            + String.join("\n", cases)
            + "\n*) echo \"${id}ERR\" ;;\nesac\ndone\n";
    Path script = Files.writeString(dir.resolve(name), text, ISO_8859_1);
    script.toFile().setExecutable(true, false); // Squid may run as another user
    asked.toFile().setWritable(true, false);
    return new HelperScript(script, asked);
  }

  /** Its path. */
  String path() {
    return script.toString();
  }

  /** The questions so far, in their order, without channels. */
  List<String> asked() throws IOException {
    return Files.readAllLines(asked, ISO_8859_1);
  }
}
