package io.loligo.server.login;

import io.loligo.server.helper.HelperProgram;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * {@code auth_param basic}. Immutable.
 *
 * @param program the program that checks passwords and its arguments; not empty
 * @param source file:line of the program
 * @param realm as the challenge names it, each character one byte
 * @param ttlSeconds {@code credentialsttl}: how long the answer of the program counts
 * @param caseSensitive whether names keep their capitals
 * @param utf8 whether credentials that are not UTF-8 are taken as ISO-8859-1 and converted
 * @param children most checks at the same time
 * @param queue most checks that wait; -1: as many as the check itself allows
 * @param extras what the helper reads behind its question
 * @param helper the program as a helper; null: a file is read instead
 */
public record BasicSettings(
    List<String> program,
    String source,
    String realm,
    long ttlSeconds,
    boolean caseSensitive,
    boolean utf8,
    int children,
    int queue,
    @Nullable KeyExtras extras,
    @Nullable HelperProgram helper)
    implements SchemeSettings {
  private static final List<String> FILE_PROGRAMS = List.of("basic_ncsa_auth", "ncsa_auth");

  /** Whether {@code program} checks passwords by a file, which is done without the program. */
  static boolean readsFile(List<String> program) {
    String path = program.get(0);
    return FILE_PROGRAMS.contains(path.substring(path.lastIndexOf('/') + 1));
  }

  @Override
  public String scheme() {
    return "basic";
  }

  /** The path of the file of users. */
  String file() {
    return program.get(1);
  }

  /** Whether passwords that were checked under {@code other} need no new check. */
  boolean checksLike(BasicSettings other) {
    return program.equals(other.program)
        && caseSensitive == other.caseSensitive
        && utf8 == other.utf8
        && children == other.children
        && queue == other.queue
        && Objects.equals(extras, other.extras)
        && Objects.equals(helper, other.helper);
  }
}
