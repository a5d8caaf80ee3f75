package io.loligo.server.ldap;

import com.unboundid.ldap.sdk.DN;
import com.unboundid.ldap.sdk.DereferencePolicy;
import com.unboundid.ldap.sdk.Filter;
import com.unboundid.ldap.sdk.LDAPException;
import com.unboundid.ldap.sdk.SearchScope;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Reads the words of a command line as the programs of Squid do: {@code -b VALUE} or {@code
 * -bVALUE}, flags without a value, and servers at the end. Confined to one thread.
 *
 * <p>Options with a place of their own are fields. Others are kept by their letter for {@link
 * LdapCommand}.
 */
final class LdapOptions {
  private static final int PORT = 389;
  private static final int TLS_PORT = 636;
  private static final int CONNECT_SECONDS = 5;
  private static final int MOST_SECONDS = 300;

  private final Function<String, @Nullable String> files;
  private final List<String> remarks = new ArrayList<>();
  private final List<String> hosts = new ArrayList<>();
  private final Set<Character> flags = new HashSet<>();
  private int port = PORT;
  private int connectSeconds = CONNECT_SECONDS;
  private int seconds;
  private SearchScope scope = SearchScope.SUB;
  private DereferencePolicy aliases = DereferencePolicy.NEVER;
  private @Nullable String accountName;
  private @Nullable String password;
  private @Nullable String passwordFile;
  private final Map<Character, String> texts = new HashMap<>();

  /**
   * Nothing is read yet.
   *
   * @param files the text of a file; null: it cannot be read
   */
  LdapOptions(Function<String, @Nullable String> files) {
    this.files = files;
  }

  /**
   * Reads {@code words}, without the program.
   *
   * @param ownFlags letters of flags, and {@code ownTexts} of texts, that only this program has
   */
  void read(List<String> words, String ownFlags, String ownTexts) throws LdapOptionException {
    int at = 0;
    while (at < words.size() && words.get(at).startsWith("-")) {
      String word = words.get(at++);
      char letter = word.length() < 2 ? ' ' : word.charAt(1);
      String rest = word.length() < 2 ? "" : word.substring(2);
      if (("PRZd" + ownFlags).indexOf(letter) >= 0) {
        flag(letter, rest);
      } else if (("HhbfpstcaDwWvE" + ownTexts).indexOf(letter) >= 0) {
        boolean isNext = rest.isEmpty() && at < words.size();
        value(letter, isNext ? words.get(at++) : rest);
      } else {
        throw new LdapOptionException("-" + letter, "the program of Squid has no such option");
      }
    }
    hosts.addAll(words.subList(at, words.size()));
  }

  private void flag(char letter, String rest) {
    if (!rest.isEmpty()) {
      remarks.add(
          "as in Squid, nothing behind -"
              + letter
              + " in its word has an effect: write flags apart");
    }
    if (letter == 'd') {
      remarks.add("-d has no effect: see loligo_log_level");
    } else if (letter == 'Z') {
      flags.add(letter);
    } else if (!flags.add(letter)) {
      flags.remove(letter); // as in Squid, a second one takes the first back
    }
  }

  private void value(char letter, String value) throws LdapOptionException {
    switch (letter) {
      case 'H', 'h' -> hosts.add(value);
      case 'p' -> port = number(letter, value, 1, 65_535);
      case 'c' -> connectSeconds = number(letter, value, 0, MOST_SECONDS);
      case 't' -> seconds = number(letter, value, 0, MOST_SECONDS);
      case 's' ->
          scope =
              switch (value) {
                case "base" -> SearchScope.BASE;
                case "one" -> SearchScope.ONE;
                case "sub" -> SearchScope.SUB;
                default -> throw new LdapOptionException("-s " + value, "write base, one or sub");
              };
      case 'a' ->
          aliases =
              switch (value) {
                case "never" -> DereferencePolicy.NEVER;
                case "always" -> DereferencePolicy.ALWAYS;
                case "search" -> DereferencePolicy.SEARCHING;
                case "find" -> DereferencePolicy.FINDING;
                default ->
                    throw new LdapOptionException(
                        "-a " + value, "write never, always, search or find");
              };
      case 'D' -> accountName = value;
      case 'w' -> {
        password = value;
        passwordFile = null;
      }
      case 'W' -> {
        String text = files.apply(value);
        if (text == null || LdapAccount.firstLine(text).isEmpty()) {
          throw new LdapOptionException(
              "-W " + value, "the file must be readable and its first line the password");
        }
        passwordFile = value;
        password = null;
      }
      case 'v' -> {
        if (!value.equals("3")) {
          throw new LdapOptionException(
              "-v " + value, "only version 3 of LDAP works: remove the option");
        }
      }
      case 'E' ->
          throw new LdapOptionException(
              "-E", "write -H ldaps://SERVER, and loligo_ldap_cafile for its authority");
      default -> texts.put(letter, value);
    }
  }

  private static int number(char letter, String value, int least, int most)
      throws LdapOptionException {
    int number = value.matches("[0-9]{1,6}") ? Integer.parseInt(value) : -1;
    if (number < least || number > most) {
      throw new LdapOptionException(
          "-" + letter + " " + value, "write a number from " + least + " to " + most);
    }
    return number;
  }

  /** Whether the flag {@code letter} is set. */
  boolean has(char letter) {
    return flags.contains(letter);
  }

  /** The text of the option {@code letter}, or null. */
  @Nullable String text(char letter) {
    return texts.get(letter);
  }

  /** The distinguished name that {@code letter} gives, or null. */
  @Nullable String name(char letter) throws LdapOptionException {
    String name = texts.get(letter);
    if (name != null && !DN.isValidDN(name)) {
      throw new LdapOptionException(
          "-" + letter + " " + name, "write a distinguished name such as dc=example,dc=com");
    }
    return name;
  }

  /** The same of an option that must be there. */
  String neededName(char letter) throws LdapOptionException {
    String name = name(letter);
    if (name == null) {
      throw new LdapOptionException("no -" + letter, "give the base of the search");
    }
    return name;
  }

  /** Checks the filter that {@code letter} gives as {@code text}, with sample values in it. */
  static void check(char letter, String text, String filter) throws LdapOptionException {
    try {
      Filter.create(filter);
    } catch (LDAPException e) {
      throw new LdapOptionException(
          "-" + letter + " " + text, "write a filter such as (uid=%s): " + e.getMessage());
    }
  }

  /** Remarks on options without effect, for the operator. */
  List<String> remarks() {
    return List.copyOf(remarks);
  }

  /** The options that both programs have. */
  LdapDirectory directory() throws LdapOptionException {
    return new LdapDirectory(
        servers(), account(), new LdapSearch(scope, aliases, !has('R'), seconds));
  }

  private @Nullable LdapAccount account() throws LdapOptionException {
    String name = accountName;
    boolean withPassword = passwordFile != null || (password != null && !password.isEmpty());
    if (name == null || name.isEmpty() || !withPassword) {
      if (name != null || withPassword) {
        remarks.add("-D and -w or -W have an effect only together: searches have no login");
      }
      return null;
    }
    return new LdapAccount(name, password, passwordFile);
  }

  private LdapServers servers() throws LdapOptionException {
    List<LdapServer> servers = new ArrayList<>();
    for (String text : hosts) {
      for (String one : text.trim().split("[ ,]+", -1)) {
        servers.add(server(one));
      }
    }
    if (servers.isEmpty()) {
      servers.add(new LdapServer("localhost", port, false));
    }
    if (has('Z') && servers.stream().anyMatch(LdapServer::tls)) {
      throw new LdapOptionException("-Z", "remove it: ldaps:// begins with TLS");
    }
    // 0: Squid waits for the system, which takes minutes
    return new LdapServers(
        List.copyOf(servers), has('Z'), connectSeconds == 0 ? CONNECT_SECONDS : connectSeconds);
  }

  private LdapServer server(String text) throws LdapOptionException {
    boolean tls = text.startsWith("ldaps://");
    boolean url = tls || text.startsWith("ldap://");
    String rest = url ? text.substring(text.indexOf("://") + 3) : text;
    rest = url && rest.endsWith("/") ? rest.substring(0, rest.length() - 1) : rest;
    int usual = tls ? TLS_PORT : url ? PORT : port;
    int colon = rest.lastIndexOf(':');
    boolean bare = colon > 0 && rest.indexOf(':') < colon && !rest.startsWith("[");
    boolean hasPort = colon >= 0 && !bare && !rest.endsWith("]");
    String host = hasPort ? rest.substring(0, colon) : rest;
    if (host.startsWith("[") && host.endsWith("]")) {
      host = host.substring(1, host.length() - 1);
    }
    if (host.isEmpty() && url) {
      host = "localhost";
    }
    if (!host.matches("[A-Za-z0-9._:-]+") || (!url && text.contains("://"))) {
      throw new LdapOptionException(
          text, "write a server as NAME, NAME:PORT, ldap://NAME or ldaps://NAME");
    }
    int at = hasPort ? number('h', rest.substring(colon + 1), 1, 65_535) : usual;
    return new LdapServer(host, at, tls);
  }
}
