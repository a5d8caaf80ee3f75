package io.loligo.server.ldap;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.unboundid.ldap.sdk.DereferencePolicy;
import com.unboundid.ldap.sdk.SearchScope;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class LdapCommandTest {
  private static LdapCommand.Read read(String program, String options) throws Exception {
    List<String> words = new ArrayList<>(List.of("/usr/lib/squid/" + program));
    words.addAll(List.of(options.split(" ")));
    return LdapCommand.read(
        words, path -> path.equals("/pw") ? "secret\n" : path.equals("/empty") ? "\n" : null);
  }

  private static LdapDirectory passwords(String options) throws Exception {
    LdapCommand.Read read = read("basic_ldap_auth", "-b dc=a " + options);
    assertThat(read.remarks()).isEmpty();
    return read.command().directory();
  }

  @Test
  void knowsTheProgramsByTheirNames() {
    assertThat(LdapCommand.checksPasswords(List.of("/x/basic_ldap_auth", "-b"))).isTrue();
    assertThat(LdapCommand.checksPasswords(List.of("squid_ldap_auth"))).isTrue();
    assertThat(LdapCommand.checksPasswords(List.of("/x/digest_ldap_auth"))).isFalse();
    assertThat(LdapCommand.findsGroups(List.of("/x/ext_ldap_group_acl"))).isTrue();
    assertThat(LdapCommand.findsGroups(List.of("/x/ext_kerberos_ldap_group_acl"))).isFalse();
  }

  @Test
  void theDefaultsAreSquids() throws Exception {
    LdapDirectory directory = passwords("-P");
    assertThat(directory.servers())
        .isEqualTo(new LdapServers(List.of(new LdapServer("localhost", 389, false)), false, 5));
    assertThat(directory.account()).isNull();
    assertThat(directory.search())
        .isEqualTo(new LdapSearch(SearchScope.SUB, DereferencePolicy.NEVER, true, 0));
  }

  @Test
  void readsAllOptions() throws Exception {
    LdapDirectory directory =
        passwords("-P -R -Z -O -s one -a find -c 2 -t7 -v 3 -p 1389 -D cn=x -W /pw -u cn -h a b:2");
    assertThat(directory.servers())
        .isEqualTo(
            new LdapServers(
                List.of(new LdapServer("a", 1389, false), new LdapServer("b", 2, false)), true, 2));
    assertThat(directory.account()).isEqualTo(new LdapAccount("cn=x", null, "/pw"));
    assertThat(directory.search())
        .isEqualTo(new LdapSearch(SearchScope.ONE, DereferencePolicy.FINDING, false, 7));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "-H ldaps://a.test          | ldaps://a.test:636",
        "-H ldap://a.test:3/ -p 9   | ldap://a.test:3",
        "-H ldap://a,ldap://b       | ldap://a:389 ldap://b:389",
        "-H ldap:///                | ldap://localhost:389",
        "-h [::1]:3                 | ldap://::1:3",
        "-h ::1 -p 7                | ldap://::1:7",
        "-h [::1]                   | ldap://::1:389",
      })
  void readsServers(String options, String servers) throws Exception {
    assertThat(passwords(options).servers().inOrder())
        .extracting(LdapServer::toString)
        .containsExactly(servers.split(" "));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "basic_ldap_auth    | -f uid=%s           | no -b         | base of the search",
        "basic_ldap_auth    | -b nonsense         | -b nonsense   | a distinguished name",
        "basic_ldap_auth    | -b dc=a -x          | -x            | no such option",
        "basic_ldap_auth    | -b dc=a -z          | -z            | no such option",
        "basic_ldap_auth    | -b dc=a -K          | -K            | no such option",
        "basic_ldap_auth    | -b dc=a -v 2        | -v 2          | remove the option",
        "basic_ldap_auth    | -b dc=a -E /certs   | -E            | loligo_ldap_cafile",
        "basic_ldap_auth    | -b dc=a -s all      | -s all        | base, one or sub",
        "basic_ldap_auth    | -b dc=a -a some     | -a some       | never, always",
        "basic_ldap_auth    | -b dc=a -p x        | -p x          | from 1 to 65535",
        "basic_ldap_auth    | -b dc=a -c -1       | -c -1         | from 0 to 300",
        "basic_ldap_auth    | -b dc=a -W /no      | -W /no        | readable",
        "basic_ldap_auth    | -b dc=a -W /empty   | -W /empty     | readable",
        "basic_ldap_auth    | -b dc=a -f (uid=%s  | -f (uid=%s    | a filter",
        "basic_ldap_auth    | -b dc=a -f uid=%u   | -f uid=%u     | %s for the user",
        "basic_ldap_auth    | -b dc=a -Z -H ldaps://a | -Z        | remove it",
        "basic_ldap_auth    | -b dc=a -H ldapi://x | ldapi://x    | ldaps://NAME",
        "basic_ldap_auth    | -b dc=a -h a:b      | -h b          | from 1 to 65535",
        "ext_ldap_group_acl | -b dc=a             | no -f         | (&(cn=%g)",
        "ext_ldap_group_acl | -f cn=%g            | no -b         | base of the search",
        "ext_ldap_group_acl | -b dc=a -f cn=%s    | -f cn=%s      | %u for the user",
        "ext_ldap_group_acl | -b dc=a -f cn=%     | -f cn=%       | %u for the user",
        "ext_ldap_group_acl | -b dc=a -f cn=%g -B x | -B x        | a distinguished name",
        "ext_ldap_group_acl | -b dc=a -f cn=%g -F (x | -F (x      | a filter",
        "ext_ldap_group_acl | -b dc=a -f cn=%g -U x | -U          | no such option",
      })
  void optionsThatCannotBeHonouredAreNamedWithAdvice(
      String program, String options, String what, String advice) {
    assertThatThrownBy(() -> read(program, options))
        .isInstanceOfSatisfying(
            LdapOptionException.class, e -> assertThat(e.advice()).contains(advice))
        .hasMessage(what);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "-d        | -d has no effect",
        "-ZR       | nothing behind -Z",
        "-D cn=a   | only together",
        "-w secret | only together",
      })
  void optionsWithoutEffectAreRemarked(String options, String remark) throws Exception {
    LdapCommand.Read read = read("basic_ldap_auth", "-b dc=a " + options);
    assertThat(read.remarks()).hasSize(1).allMatch(text -> text.contains(remark));
    assertThat(read.command().directory().account()).isNull();
    assertThat(read.command().directory().search().followsReferrals()).isTrue();
  }

  @Test
  void aSecondFlagTakesTheFirstBack() throws Exception {
    assertThat(passwords("-R -R").search().followsReferrals()).isTrue();
    assertThat(passwords("-Z -Z").servers().startTls()).isTrue();
  }

  @Test
  void aBackslashInAFilterOfGroupsIsRemoved() throws Exception {
    LdapCommand command = read("ext_ldap_group_acl", "-b dc=a -f \\(cn=%g\\)").command();
    assertThat(((GroupCommand) command).filter()).isEqualTo("\\(cn=%g\\)");
    assertThatThrownBy(() -> read("basic_ldap_auth", "-b dc=a -f \\(cn=%s\\)"))
        .hasMessage("-f \\(cn=%s\\)");
  }

  @Test
  void noTextShowsThePassword() throws Exception {
    LdapCommand command =
        read("ext_ldap_group_acl", "-b dc=a -f cn=%g -D cn=x -w hunter2").command();
    assertThat(command.toString()).doesNotContain("hunter2").contains("cn=x");
    assertThat(new LdapProgram(command, "none").toString()).doesNotContain("hunter2");
    LdapCommand other = read("ext_ldap_group_acl", "-b dc=a -f cn=%g -D cn=x -w other").command();
    assertThat(command).isNotEqualTo(other);
  }
}
