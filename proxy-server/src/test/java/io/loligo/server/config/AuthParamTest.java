package io.loligo.server.config;

import static org.assertj.core.api.Assertions.assertThat;

import io.loligo.core.config.ConfigResult;
import io.loligo.core.config.LineReport.Verdict;
import io.loligo.server.boot.Features;
import io.loligo.server.exchange.settings.programs.ExternalAclDirectives;
import io.loligo.server.helper.HelperChildren;
import io.loligo.server.helper.HelperProgram;
import io.loligo.server.login.BasicSettings;
import io.loligo.server.login.DigestSettings;
import io.loligo.server.login.LoginDirectives;
import io.loligo.server.login.SchemeSettings;
import io.loligo.server.login.TokenSettings;
import io.loligo.server.login.digest.DigestNonceRules;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class AuthParamTest {
  private static final String PROGRAM = "auth_param basic program /x/basic_ncsa_auth /users\n";

  private static ConfigResult load(String lines) {
    TextSource files = new TextSource().with("/users", "bob:{SHA}5en6G6MezRroT3XKqkdPOmY/BfQ=\n");
    files.with("/digest", "bob:secret\n").with("/hashes", "bob:office:0123\n");
    files.with("/empty.keytab", "\u0005\u0002");
    files.with("/x.keytab", "\u0005\u0002\0\0\0\u000f\0\u0002\0\u0001R\0\u0004HTTP\0\u0002me");
    files.with("/v1.keytab", "\u0005\u0001\0\0\0\u000f\0\u0002\0\u0001R\0\u0004HTTP\0\u0002me");
    files.with("/old", "old:abNANd1rDfiNc\n");
    return Features.reader(files).readText("squid.conf", "http_port 3128\n" + lines);
  }

  private static BasicSettings basic(String lines) {
    ConfigResult result = load(PROGRAM + lines);
    assertThat(result.problems()).isEmpty();
    return result.config().get(LoginDirectives.AUTH_PARAM).basic();
  }

  @Test
  void theDefaultsAreSquids() {
    assertThat(basic(""))
        .isEqualTo(
            new BasicSettings(
                List.of("/x/basic_ncsa_auth", "/users"),
                "squid.conf:2",
                "Squid proxy-caching web server",
                7_200,
                false,
                false,
                20,
                -1,
                null,
                null));
    assertThat(load("").config().get(LoginDirectives.AUTH_PARAM).all()).isEmpty();
    assertThat(load("").config().get(LoginDirectives.AUTHENTICATE_TTL)).isEqualTo(3_600);
    assertThat(load("").config().get(LoginDirectives.AUTHENTICATE_IP_TTL)).isEqualTo(1);
  }

  @Test
  void readsAllParameters() {
    BasicSettings basic =
        basic(
            """
            auth_param basic realm "The  office" proxy
            auth_param basic credentialsttl 5 minutes
            auth_param basic casesensitive on
            auth_param basic utf8 on
            auth_param basic children 5 startup=1 idle=1 queue-size=7 on-persistent-overload=ERR
            """);
    assertThat(basic.realm()).isEqualTo("\"The office\" proxy");
    assertThat(basic.ttlSeconds()).isEqualTo(300);
    assertThat(basic.caseSensitive()).isTrue();
    assertThat(basic.utf8()).isTrue();
    assertThat(basic.children()).isEqualTo(5);
    assertThat(basic.queue()).isEqualTo(7);
    assertThat(basic("auth_param basic realm \"quoted\"").realm()).isEqualTo("quoted");
  }

  @ParameterizedTest
  @ValueSource(strings = {"auth_param basic timeout 5 seconds", "auth_param digest frob 1"})
  void parametersThatNoSquidHasDrawAWarning(String line) {
    assertThat(load(line).errors()).isEmpty();
    assertThat(load(line).warnings()).anyMatch(one -> one.text().contains("ignored, as in Squid"));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "auth_param basic",
        "auth_param basic program",
        "auth_param basic program /x/basic_ncsa_auth",
        "auth_param basic program /x/basic_ncsa_auth /users /users",
        "auth_param frob program /x",
        "auth_param basic credentialsttl 5",
        "auth_param basic casesensitive maybe",
        "auth_param basic utf8 1",
        "auth_param basic children 0",
        "auth_param basic children many",
        "auth_param basic children 5 frob=1",
        "auth_param basic children 5 startup=x",
        "auth_param digest program /x/digest_file_auth",
        "auth_param digest program /x/digest_file_auth -x /digest",
        "auth_param negotiate keep_alive maybe",
        "auth_param negotiate program /x/negotiate_kerberos_auth -k /x.keytab -x",
        "auth_param ntlm program ntlm_auth",
        "auth_param ntlm program /no/such_auth",
        "auth_param negotiate program /no/such_auth",
        "auth_param ntlm keep_alive maybe",
        "auth_param digest nonce_max_count 0",
        "auth_param digest nonce_strictness 1",
        "auth_param digest nonce_max_duration 5",
        "auth_param digest loligo_md5 maybe",
        "auth_schemes digest",
        "auth_schemes basic nosuchacl",
        "auth_param basic children 5 on-persistent-overload=wait",
      })
  void wrongLinesStopTheStart(String line) {
    assertThat(load(line + " # loligo: waive").isUsable()).isFalse();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "auth_param basic program /x/basic_ncsa_auth /missing",
        "auth_param digest program /x/digest_file_auth /missing",
        "auth_param digest program /x/digest_file_auth /digest",
        "auth_param negotiate program /x/negotiate_kerberos_auth -k /missing",
        "auth_param negotiate program /x/negotiate_kerberos_auth -k /users",
        "auth_param negotiate program /x/negotiate_kerberos_auth -k /empty.keytab",
        "auth_param negotiate program /x/negotiate_kerberos_auth -k /v1.keytab",
        "auth_param negotiate program /x/negotiate_kerberos_auth -k /x.keytab -s HTTP/other",
        "auth_schemes basic all",
        "auth_schemes digest all",
        "acl users proxy_auth REQUIRED",
        "acl users proxy_auth_regex .",
        "acl users max_user_ip 2",
      })
  void aLoginThatIsNotThereStopsTheStartUnlessWaived(String line) {
    assertThat(load(line).errors()).hasSize(1);
    assertThat(load(line + " # loligo: waive").errors()).isEmpty();
  }

  @Test
  void aProgramThatIsNotThereReplacesTheOneAbove() {
    String missing = "auth_param basic program /x/basic_ncsa_auth /missing # loligo: waive\n";
    ConfigResult replaced = load(PROGRAM + missing);
    assertThat(replaced.isUsable()).isTrue();
    assertThat(replaced.config().get(LoginDirectives.AUTH_PARAM).all()).isEmpty();
    ConfigResult users = load(missing + "acl users proxy_auth REQUIRED");
    assertThat(users.errors()).singleElement().matches(one -> one.text().contains("no auth_param"));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "auth_param basic keep_alive off",
        "auth_param digest keep_alive off",
        "auth_param negotiate realm office",
        "auth_param ntlm utf8 on",
      })
  void aParameterOfAnotherSchemeHasNoEffect(String line) {
    assertThat(load(line).problems()).isEmpty();
    assertThat(load(line).lines().get(1).verdict()).isEqualTo(Verdict.WITHOUT_EFFECT);
  }

  @Test
  void aclsAboutUsersComeAfterTheProgram() {
    assertThat(load("acl users proxy_auth REQUIRED\n" + PROGRAM).isUsable()).isFalse();
    ConfigResult result =
        load(
            PROGRAM
                + "acl users proxy_auth REQUIRED\nacl a proxy_auth_regex -i ^a\n"
                + "acl few max_user_ip -s 2\nhttp_access deny few\nhttp_access allow users a");
    assertThat(result.problems()).isEmpty();
    assertThat(load(PROGRAM + "acl none max_user_ip 0").isUsable()).isFalse();
    assertThat(load(PROGRAM + "acl none proxy_auth -s bob").isUsable()).isFalse();
  }

  @Test
  void anyOtherProgramIsAHelper() {
    BasicSettings basic =
        basic(
            "auth_param basic program /x/basic_db_auth -b dc=test\n"
                + "auth_param basic children 5 startup=2 idle=3 concurrency=4 queue-size=7\n"
                + "loligo_helper_timeout 5 seconds");
    HelperChildren children = new HelperChildren(5, 2, 3, 4, 7, false, false);
    assertThat(basic.helper())
        .isEqualTo(
            new HelperProgram(
                "auth_param basic",
                List.of("/x/basic_db_auth", "-b", "dc=test"),
                children,
                5_000,
                false));
    BasicSettings other =
        basic(
            "auth_param basic program /x/basic_db_auth\n"
                + "auth_param basic children 5 startup=2 idle=3 concurrency=4 queue-size=7\n"
                + "auth_param basic children 6 on-persistent-overload=ERR");
    assertThat(other.helper().children())
        .as("the last line holds as a whole")
        .isEqualTo(new HelperChildren(6, 0, 1, 0, 12, true, true));
    assertThat(load("auth_param basic program /no/such_auth").isUsable()).isFalse();
    assertThat(load("auth_param basic program such_auth").isUsable()).isFalse();
  }

  @Test
  void quotesEncloseBlanksInACommand() {
    String command = "/x/check -D \"cn=a proxy\"";
    assertThat(basic("auth_param basic program " + command).program())
        .containsExactly("/x/check", "-D", "cn=a proxy");
    assertThat(load("auth_param basic program /x/check \"a").isUsable()).isFalse();
    ConfigResult external = load("external_acl_type t ttl=1 %SRC %URI " + command);
    assertThat(external.config().get(ExternalAclDirectives.EXTERNAL_ACL_TYPE).types())
        .extracting(type -> type.command().words())
        .containsExactly(List.of("/x/check", "-D", "cn=a proxy"));
    assertThat(load("external_acl_type t %SRC /x/check 'a").isUsable()).isFalse();
  }

  @Test
  void parametersOfSchemesWithoutAProgramAreHarmless() {
    assertThat(load("auth_param ntlm children 5\nauth_param digest realm x").problems()).isEmpty();
    assertThat(load("auth_param basic realm x").problems()).isEmpty();
  }

  @Test
  void aRuleBeforeTheClientIsKnownCannotAskForTheUser() {
    String lines = PROGRAM + "acl users proxy_auth REQUIRED\nfollow_x_forwarded_for allow users";
    assertThat(load(lines).isUsable()).isFalse();
    assertThat(load(lines + " # loligo: waive").isUsable()).isTrue();
  }

  @Test
  void warnsOfHashesThatNeverMatch() {
    ConfigResult result = load("auth_param basic program /x/basic_ncsa_auth /old");
    assertThat(result.isUsable()).isTrue();
    assertThat(result.warnings())
        .singleElement()
        .satisfies(one -> assertThat(one.text()).contains("old", "htpasswd -B"));
  }

  private static DigestSettings digest(String lines) {
    ConfigResult result = load("auth_param digest program /x/digest_file_auth /digest\n" + lines);
    assertThat(result.problems()).isEmpty();
    return (DigestSettings) result.config().get(LoginDirectives.AUTH_PARAM).all().get(0);
  }

  @Test
  void readsTheParametersOfDigest() {
    DigestSettings usual = digest("auth_param digest realm office");
    assertThat(usual)
        .isEqualTo(
            new DigestSettings(
                List.of("/x/digest_file_auth", "/digest"),
                "office",
                false,
                true,
                false,
                new DigestNonceRules(1_800_000, 50, true, false, 300_000),
                null,
                null));
    DigestSettings other =
        digest(
            """
            auth_param digest realm "the office"
            auth_param digest utf8 on
            auth_param digest loligo_md5 off
            auth_param digest post_workaround on
            auth_param digest nonce_garbage_interval 1 minute
            auth_param digest nonce_max_duration 2 minutes
            auth_param digest nonce_max_count 9
            auth_param digest nonce_strictness on
            auth_param digest check_nonce_count off
            """);
    assertThat(other.nonces()).isEqualTo(new DigestNonceRules(120_000, 9, false, true, 60_000));
    assertThat(other.realm()).isEqualTo("the office");
    assertThat(other.utf8() && other.postWorkaround() && !other.md5()).isTrue();
  }

  @Test
  void digestWithoutARealmOrAUsableHashStopsTheStart() {
    assertThat(load("auth_param digest program /x/digest_file_auth /digest").isUsable()).isFalse();
    String hashes = "auth_param digest realm office\nauth_param digest program ";
    ConfigResult none = load(hashes + "/x/digest_file_auth -c /hashes");
    assertThat(none.warnings())
        .singleElement()
        .satisfies(one -> assertThat(one.text()).contains("bob"));
    String md5 = "\nauth_param digest loligo_md5 off";
    assertThat(load(hashes + "/x/digest_file_auth -c /hashes" + md5).isUsable()).isFalse();
    assertThat(load(hashes + "/x/digest_ldap_auth" + md5).isUsable()).isFalse();
  }

  private static TokenSettings negotiate(String options) {
    ConfigResult result =
        load(
            "auth_param negotiate program /x/negotiate_kerberos_auth -k /x.keytab"
                + options
                + "\nauth_param negotiate children 3 queue-size=9\n"
                + "auth_param negotiate keep_alive off\nacl users proxy_auth REQUIRED");
    assertThat(result.errors()).isEmpty();
    return (TokenSettings) result.config().get(LoginDirectives.AUTH_PARAM).all().get(0);
  }

  @ParameterizedTest
  @ValueSource(strings = {"ntlm", "negotiate"})
  void tokensAreCheckedByAnyOtherProgram(String scheme) {
    String line = "auth_param " + scheme + " ";
    ConfigResult result =
        load(
            (line + "program /x/ntlm_auth --helper-protocol=squid\n")
                + (line + "children 9 startup=2 idle=3 queue-size=4 reservation-timeout=5\n")
                + (line + "keep_alive off\n" + line + "key_extras %>a\n")
                + "loligo_helper_timeout 5 seconds\nacl users proxy_auth REQUIRED");
    assertThat(result.problems()).isEmpty();
    TokenSettings read =
        (TokenSettings) result.config().get(LoginDirectives.AUTH_PARAM).all().get(0);
    assertThat(read.scheme()).isEqualTo(scheme);
    assertThat(read.keepAlive()).isFalse();
    assertThat(read.extras().text()).isEqualTo("%>a");
    assertThat(read.kerberos()).isNull();
    assertThat(read.helper())
        .isEqualTo(
            new HelperProgram(
                "auth_param " + scheme,
                List.of("/x/ntlm_auth", "--helper-protocol=squid"),
                new HelperChildren(9, 2, 3, 0, 4, false, false, 5),
                5_000,
                false));
    ConfigResult channels =
        load(line + "program /x/ntlm_auth\n" + line + "children 9 concurrency=2");
    assertThat(channels.errors()).isEmpty();
    assertThat(channels.warnings())
        .singleElement()
        .satisfies(one -> assertThat(one.text()).contains("concurrency"));
    SchemeSettings one = channels.config().get(LoginDirectives.AUTH_PARAM).all().get(0);
    assertThat(one.helper().children().concurrency()).isZero();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        PROGRAM + "auth_param basic",
        "auth_param basic program /x/basic_db_auth\nauth_param basic",
        "auth_param negotiate program /x/negotiate_kerberos_auth -k /x.keytab\nauth_param negotiate"
      })
  void childrenAreReservedForTokensOnly(String lines) {
    ConfigResult result = load(lines + " children 5 reservation-timeout=9");
    assertThat(result.errors()).isEmpty();
    assertThat(result.warnings())
        .singleElement()
        .satisfies(one -> assertThat(one.text()).contains("reservation-timeout"));
    assertThat(load(lines + " children 5").warnings()).isEmpty();
  }

  @Test
  void readsTheOptionsOfKerberos() {
    TokenSettings any = negotiate(" -r -s GSS_C_NO_NAME");
    assertThat(any.kerberos().principal()).isNull();
    assertThat(any.kerberos().options().stripsRealm()).isTrue();
    assertThat(any.keepAlive()).isFalse();
    assertThat(any.kerberos().children()).isEqualTo(3);
    assertThat(any.kerberos().queue()).isEqualTo(9);
    assertThat(any.helper()).isNull();
    assertThat(negotiate(" -s HTTP/me").kerberos().principal()).isEqualTo("HTTP/me@R");
    assertThat(
            load("auth_param negotiate program /x/negotiate_kerberos_auth -k /x.keytab -t none")
                .warnings())
        .hasSize(1);
  }

  @Test
  void schemesKeepTheOrderOfTheirFirstLines() {
    ConfigResult result =
        load(
            "auth_param digest realm office\n"
                + PROGRAM
                + "auth_param digest program /x/digest_file_auth /digest\n"
                + "acl me src 192.0.2.1\nauth_schemes basic,ALL me\nauth_schemes ALL all");
    assertThat(result.problems()).isEmpty();
    assertThat(result.config().get(LoginDirectives.AUTH_PARAM).all())
        .extracting(one -> one.scheme())
        .containsExactly("digest", "basic");
    assertThat(result.config().get(LoginDirectives.AUTH_SCHEMES).rules())
        .extracting(one -> one.schemes())
        .containsExactly(List.of("basic", "digest"), List.of("digest", "basic"));
  }

  @Test
  void keyExtrasAreForPrograms() {
    assertThat(load(PROGRAM + "auth_param basic key_extras \"%>a\"").isUsable()).isFalse();
    String directory = "auth_param basic program /x/basic_ldap_auth -b dc=test -h localhost\n";
    assertThat(load(directory).isUsable()).isTrue();
    assertThat(load(directory + "auth_param basic key_extras \"%>a\"").isUsable()).isFalse();
    String program = "auth_param basic program /x/basic_db_auth -b dc=test\n";
    assertThat(load(program + "auth_param basic key_extras \"%nosuch\"").isUsable()).isFalse();
    BasicSettings basic = basic(program + "auth_param basic key_extras \"%>a port %lp\"");
    assertThat(basic.extras().text()).isEqualTo("%>a port %lp");
  }
}
