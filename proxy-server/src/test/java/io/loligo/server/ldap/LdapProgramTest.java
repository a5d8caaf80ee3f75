package io.loligo.server.ldap;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.loligo.server.helper.InsideProgram.Answering;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Both programs against a directory in memory. */
class LdapProgramTest {
  private static final String PEOPLE = "ou=people,dc=test";

  @TempDir Path dir;

  private final TestDirectory directory = new TestDirectory("localhost", "127.0.0.1");
  private final List<Answering> children = new ArrayList<>();
  private String caFile = "none";

  @AfterEach
  void close() {
    children.forEach(Answering::close);
    directory.close();
  }

  private String plain() {
    return "127.0.0.1:" + directory.port();
  }

  private void trustDirectory() {
    caFile = directory.authority.write(dir, "ca.pem").toString();
  }

  /** A child of the program that checks passwords: its account searches by uid. */
  private Answering passwords(String... more) {
    return passwordsAt(plain(), more);
  }

  private Answering passwordsAt(String server, String... more) {
    List<String> words = new ArrayList<>(List.of("/x/basic_ldap_auth", "-b", "dc=test"));
    words.addAll(List.of("-f", "(uid=%s)", "-D", TestDirectory.ACCOUNT, "-w"));
    words.addAll(List.of(TestDirectory.PASSWORD, "-h", server));
    words.addAll(List.of(more));
    return start(words);
  }

  private Answering direct() {
    return start(List.of("/x/basic_ldap_auth", "-b", PEOPLE, plain()));
  }

  private Answering groups(String filter, String... more) {
    List<String> words =
        new ArrayList<>(List.of("/x/ext_ldap_group_acl", "-b", "ou=groups,dc=test"));
    words.addAll(List.of("-f", filter, "-D", TestDirectory.ACCOUNT, "-w", TestDirectory.PASSWORD));
    words.addAll(List.of(more));
    words.addAll(List.of("-h", plain()));
    return start(words);
  }

  private Answering start(List<String> words) {
    try {
      LdapCommand command = LdapCommand.read(words, LdapProgramTest::text).command();
      Answering child = new LdapProgram(command, caFile).start(() -> 0);
      children.add(child);
      return child;
    } catch (LdapOptionException e) {
      throw new AssertionError(e.getMessage() + ": " + e.advice(), e);
    }
  }

  private static String text(String path) {
    try {
      return Files.readString(Path.of(path));
    } catch (java.io.IOException e) {
      return null;
    }
  }

  /** The bytes of {@code text} in UTF-8, each one a character. */
  private static String bytes(String text) {
    return new String(text.getBytes(UTF_8), ISO_8859_1);
  }

  @ParameterizedTest
  @CsvSource({
    "bob secret, OK",
    "BOB secret, OK",
    "bob wrong, ERR",
    "nobody secret, ERR",
    "eve s3, OK",
    "* secret, ERR",
    "bo* secret, ERR",
    "bob)(uid=* secret, ERR",
    "b%6Fb s%65cret, OK",
    "bob%20 secret, ERR message=\"Invalid username\"",
    "%20bob secret, ERR message=\"Invalid username\"",
    "a%20%20b secret, ERR message=\"Invalid username\"",
    "bob, ERR message=\"Missing password\"",
    "'bob ', ERR message=\"Missing password\"",
  })
  void findsTheUserAndLogsIn(String question, String answer) {
    assertThat(passwords().answer(question)).isEqualTo(answer);
  }

  @Test
  void theDirectoryGetsTheBytesOfTheClient() {
    assertThat(passwords().answer(bytes("j\u00fcrgen gr\u00fcn"))).isEqualTo("OK");
    assertThat(direct().answer(bytes("j\u00fcrgen gr\u00fcn"))).isEqualTo("OK");
    assertThat(direct().answer("j\u00fcrgen gr\u00fcn")).isEqualTo("ERR");
  }

  @Test
  void anEmptyPasswordNeverReachesTheDirectory() {
    // the directory would say yes: a login without a user
    assertThat(passwords().answer("bob %00")).isEqualTo("ERR");
    int before = directory.log().size();
    assertThat(passwords().answer("bob ")).startsWith("ERR");
    assertThat(direct().answer("bob")).startsWith("ERR");
    assertThat(directory.log()).hasSize(before);
  }

  @Test
  void theAccountLogsInOnce() {
    Answering child = passwords();
    child.answer("bob secret");
    child.answer("eve wrong");
    child.answer("nobody wrong");
    assertThat(directory.log())
        .containsExactly(
            "bind " + TestDirectory.ACCOUNT,
            "search (uid=bob)",
            "bind uid=bob," + PEOPLE,
            "search (uid=eve)",
            "bind uid=eve," + PEOPLE,
            "search (uid=nobody)");
  }

  @ParameterizedTest
  @CsvSource({
    "bob secret, OK",
    "bob wrong, ERR",
    "nobody secret, ERR",
    "'bob%2Cou=people secret', ERR",
    "'bob%2Bx=y secret', ERR",
  })
  void withoutAFilterTheUserLogsInDirectly(String question, String answer) {
    assertThat(direct().answer(question)).isEqualTo(answer);
  }

  @Test
  void aNameIsOneValueOfADistinguishedName() {
    direct().answer("bob,ou=a\\b\"c+d=e#;<> x");
    assertThat(directory.log())
        .containsExactly("bind uid=bob\\2cou\\3da\\5cb\\22c\\2bd\\3de\\23\\3b\\3c\\3e," + PEOPLE);
  }

  @ParameterizedTest
  @CsvSource({"bob secret, OK", "bob wrong, ERR", "nobody secret, ERR"})
  void comparesWithAnAttribute(String question, String answer) {
    assertThat(passwords("-U", "userPassword").answer(question)).isEqualTo(answer);
    assertThat(directory.log()).noneMatch(line -> line.startsWith("bind uid="));
  }

  @ParameterizedTest
  @ValueSource(strings = {"ldaps", "-Z"})
  void verifiesServersWithTls(String how) {
    boolean ldaps = how.equals("ldaps");
    String server = ldaps ? "ldaps://localhost:" + directory.tlsPort() : plain();
    String[] options = ldaps ? new String[0] : new String[] {"-Z"};
    assertThat(passwordsAt(server, options).answer("bob secret")).startsWith("BH ");
    assertThat(directory.log()).isEmpty();
    trustDirectory();
    assertThat(passwordsAt(server, options).answer("bob secret")).isEqualTo("OK");
  }

  @ParameterizedTest
  @ValueSource(strings = {"ldaps", "-Z"})
  void aServerWithACertificateForAnotherNameLearnsNothing(String how) {
    boolean ldaps = how.equals("ldaps");
    try (TestDirectory other = new TestDirectory("other.test")) {
      caFile = other.authority.write(dir, "other.pem").toString();
      String server = ldaps ? "ldaps://localhost:" + other.tlsPort() : "localhost:" + other.port();
      Answering child = ldaps ? passwordsAt(server) : passwordsAt(server, "-Z");
      assertThat(child.answer("bob secret")).startsWith("BH ");
      assertThat(other.log()).isEmpty();
    }
  }

  @Test
  void theNextServerIsAskedIfOneCannotBeReached() throws Exception {
    int unused;
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      unused = socket.getLocalPort();
    }
    Answering child = passwordsAt("127.0.0.1:" + unused + " " + plain());
    assertThat(child.answer("bob secret")).isEqualTo("OK");
    assertThat(passwordsAt("127.0.0.1:" + unused).answer("bob secret")).startsWith("BH ");
  }

  @Test
  void aConnectionThatTheServerClosedIsReplaced() throws Exception {
    Answering child = passwords();
    assertThat(child.answer("bob secret")).isEqualTo("OK");
    directory.restart();
    assertThat(child.answer("bob secret")).isEqualTo("OK");
    assertThat(child.answer("bob wrong")).isEqualTo("ERR");
  }

  @Test
  void aServerThatClosesInTheMiddleIsBroken() throws Exception {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      CompletableFuture<Void> served =
          CompletableFuture.runAsync(
              () -> {
                try (Socket client = socket.accept()) {
                  client.getInputStream().read();
                  client.getOutputStream().write(0x30);
                } catch (java.io.IOException e) {
                  throw new java.io.UncheckedIOException(e);
                }
              });
      String answer = passwordsAt("127.0.0.1:" + socket.getLocalPort()).answer("bob secret");
      assertThat(answer).startsWith("BH message=\"-D cannot log in: ");
      served.join();
    }
  }

  @Test
  void closingEndsAWaitForAHungServer() throws Exception {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      Answering child = passwordsAt("127.0.0.1:" + socket.getLocalPort(), "-t", "300");
      CompletableFuture<String> answer =
          CompletableFuture.supplyAsync(() -> child.answer("bob secret"));
      try (Socket client = socket.accept()) {
        assertThat(client.getInputStream().read()).isEqualTo(0x30); // it waits for the answer
        child.close();
        assertThat(answer.join()).startsWith("BH ");
      }
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"ldaps", "-Z"})
  void aServerThatHangsInTheHandshakeCostsTheTimeOfAConnection(String how) throws Exception {
    trustDirectory();
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      String at = "127.0.0.1:" + socket.getLocalPort();
      Answering child =
          how.equals("ldaps")
              ? passwordsAt("ldaps://" + at, "-c", "1")
              : passwordsAt(at, "-Z", "-c", "1");
      assertThat(child.answer("bob secret")).startsWith("BH ");
    }
  }

  @Test
  void anAccountThatIsRefusedDoesNotTryAgainAtOnce() {
    Answering child = passwords("-w", "wrong");
    assertThat(child.answer("bob secret")).startsWith("BH message=\"-D cannot log in: 49 ");
    assertThat(child.answer("bob secret")).startsWith("BH message=\"-D cannot log in: 49 ");
    assertThat(directory.log()).containsExactly("bind " + TestDirectory.ACCOUNT);
  }

  @Test
  void thePasswordOfTheAccountIsReadFromAFile() throws Exception {
    Path file = Files.writeString(dir.resolve("secret"), TestDirectory.PASSWORD + "\nmore\n");
    Answering child = passwords("-W", file.toString());
    Files.writeString(file, "changed");
    assertThat(child.answer("bob secret")).startsWith("BH ");
    Files.writeString(file, TestDirectory.PASSWORD);
    assertThat(passwords("-W", file.toString()).answer("bob secret")).isEqualTo("OK");
  }

  @Test
  void aReferralAtALoginGivesNoPasswordAway() throws Exception {
    try (TestDirectory other = new TestDirectory(/* anybody= */ true, "localhost")) {
      directory.referLogins("ldap://127.0.0.1:" + other.port() + "/uid=bob,ou=people,dc=test");
      assertThat(passwords().answer("bob secret")).startsWith("BH ");
      assertThat(passwords("-R").answer("bob secret")).startsWith("BH ");
      assertThat(directory.log()).contains("bind uid=bob,ou=people,dc=test");
      assertThat(other.log()).isEmpty();
    }
  }

  @Test
  void aReferralIsFollowedWithoutALogin() throws Exception {
    try (TestDirectory other = new TestDirectory(/* anybody= */ true, "localhost")) {
      String url = "ldap://127.0.0.1:" + other.port() + "/dc=test";
      directory.addReferral("ou=far,dc=test", url);
      assertThat(passwords().answer("nobody x")).isEqualTo("ERR");
      assertThat(other.log()).containsExactly("search (uid=nobody)");
      assertThat(passwords("-R").answer("nobody x")).isEqualTo("ERR");
      assertThat(other.log()).hasSize(1);
    }
  }

  @ParameterizedTest
  @CsvSource({
    "bob staff, OK",
    "bob guests, ERR",
    "bob guests staff, OK",
    "eve staff, ERR",
    "nobody staff, ERR",
    "bob *, ERR",
    "bob, ERR",
    "'bob%2Cou=people staff', ERR",
  })
  void findsGroupsByTheEntryOfTheUser(String question, String answer) {
    String filter = "(&(cn=%g)(member=%u))";
    assertThat(groups(filter, "-B", PEOPLE, "-F", "(uid=%s)").answer(question)).isEqualTo(answer);
    assertThat(groups(filter, "-B", PEOPLE, "-u", "uid").answer(question)).isEqualTo(answer);
  }

  @Test
  void aGroupHasTheBytesOfTheUsersEntry() {
    String filter = "(&(cn=%g)(member=%u))";
    String question = bytes("j\u00fcrgen staff");
    assertThat(groups(filter, "-B", PEOPLE, "-F", "uid=%s").answer(question)).isEqualTo("OK");
    assertThat(groups(filter, "-B", PEOPLE, "-u", "uid").answer(question)).isEqualTo("OK");
  }

  @ParameterizedTest
  @CsvSource({
    "eve guests, '', OK",
    "bob guests, '', ERR",
    "* guests, '', ERR",
    "OFFICE%5Ceve guests, -S, OK",
    "OFFICE/eve guests, -S, OK",
    "OFFICE+eve guests, -S, OK",
    "OFFICE%5Ceve guests, '', ERR",
    "eve@OFFICE.TEST guests, -K, OK",
    "eve@OFFICE.TEST guests, '', ERR",
    "O%5Ceve@O.TEST guests, -K -S, OK",
  })
  void findsGroupsByTheNameOfTheUser(String question, String options, String answer) {
    String[] words = options.isEmpty() ? new String[0] : options.split(" ");
    assertThat(groups("(&(cn=%a)(memberUid=%v))", words).answer(question)).isEqualTo(answer);
  }

  @Test
  void theFirstArgumentExtendsTheBase() {
    Answering child =
        start(
            List.of(
                "/x/ext_ldap_group_acl",
                "-b",
                "dc=test",
                "-s",
                "one",
                "-g",
                "-f",
                "(&(cn=%g)(memberUid=%u))",
                "-D" + TestDirectory.ACCOUNT,
                "-w" + TestDirectory.PASSWORD,
                plain()));
    assertThat(child.answer("eve ou=groups guests")).isEqualTo("OK");
    assertThat(child.answer("eve ou=people guests")).isEqualTo("ERR");
    assertThat(child.answer("eve nonsense guests")).startsWith("BH ");
    assertThat(child.answer("eve")).startsWith("BH ");
    assertThat(child.answer("eve ou=none guests"))
        .startsWith("BH message=\"the search failed: 32 ");
  }
}
