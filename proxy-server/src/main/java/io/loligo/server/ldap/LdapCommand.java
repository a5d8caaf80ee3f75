package io.loligo.server.ldap;

import io.loligo.server.helper.InsideProgram.Answering;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The command line of a program for a directory. Immutable. */
public sealed interface LdapCommand permits PasswordCommand, GroupCommand {
  /** Names of the program that checks passwords, in versions of Squid. */
  Set<String> PASSWORD_PROGRAMS = Set.of("basic_ldap_auth", "squid_ldap_auth", "ldap_auth");

  /** Names of the program that looks up groups. */
  Set<String> GROUP_PROGRAMS = Set.of("ext_ldap_group_acl", "squid_ldap_group");

  /** Whether {@code command} checks passwords in a directory: by the name of its program. */
  static boolean checksPasswords(List<String> command) {
    return PASSWORD_PROGRAMS.contains(fileName(command));
  }

  /** Whether {@code command} looks up groups in a directory. */
  static boolean findsGroups(List<String> command) {
    return GROUP_PROGRAMS.contains(fileName(command));
  }

  private static String fileName(List<String> command) {
    String path = command.isEmpty() ? "" : command.get(0);
    return path.substring(path.lastIndexOf('/') + 1);
  }

  /**
   * A command line as it was read.
   *
   * @param remarks on options without effect, for the operator
   */
  record Read(LdapCommand command, List<String> remarks) {}

  /**
   * Reads the words of a command whose program is one of these.
   *
   * @param files the text of a file; null: it cannot be read
   * @throws LdapOptionException if an option is unknown or cannot be honoured
   */
  static Read read(List<String> words, Function<String, @Nullable String> files)
      throws LdapOptionException {
    LdapOptions options = new LdapOptions(files);
    List<String> arguments = words.subList(1, words.size());
    LdapCommand command =
        checksPasswords(words)
            ? PasswordCommand.read(options, arguments)
            : GroupCommand.read(options, arguments);
    return new Read(command, options.remarks());
  }

  /** The directory. */
  LdapDirectory directory();

  /** Answers questions with {@code session}, which it closes. */
  Answering on(LdapSession session);
}
