package io.loligo.server.login;

import io.loligo.server.helper.HelperProgram;
import io.loligo.server.login.digest.DigestNonceRules;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * {@code auth_param digest}. Immutable.
 *
 * @param program the program that knows the users, and its arguments; not empty
 * @param realm as the challenge names it, each character one byte; not empty
 * @param utf8 whether names that are not UTF-8 are taken as ISO-8859-1 and converted
 * @param md5 {@code loligo_md5}: whether MD5 is offered
 * @param postWorkaround whether a response made for GET is taken for other methods
 * @param nonces how long and how often a nonce may be used
 * @param extras what the helper reads behind its question
 * @param helper the program as a helper; null: a file is read instead
 */
public record DigestSettings(
    List<String> program,
    String realm,
    boolean utf8,
    boolean md5,
    boolean postWorkaround,
    DigestNonceRules nonces,
    @Nullable KeyExtras extras,
    @Nullable HelperProgram helper)
    implements SchemeSettings {
  /** A copy of {@code program} is kept. */
  public DigestSettings {
    program = List.copyOf(program);
  }

  /** Whether {@code program} has its users in a file, which is read without the program. */
  static boolean readsFile(List<String> program) {
    String path = program.get(0);
    return path.substring(path.lastIndexOf('/') + 1).equals("digest_file_auth");
  }

  /** Whether the file has hashes only ({@code -c}). */
  static boolean hasHashes(List<String> program) {
    return program.size() == 3 && program.get(1).equals("-c");
  }

  /** The path of the file of users; null: the arguments are wrong. */
  static @Nullable String file(List<String> program) {
    boolean right = program.size() == 2 || hasHashes(program);
    return right ? program.get(program.size() - 1) : null;
  }

  @Override
  public String scheme() {
    return "digest";
  }
}
