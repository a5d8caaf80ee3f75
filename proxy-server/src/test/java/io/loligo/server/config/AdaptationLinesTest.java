package io.loligo.server.config;

import static org.assertj.core.api.Assertions.assertThat;

import io.loligo.core.config.ConfigProblem;
import io.loligo.core.config.ConfigResult;
import io.loligo.core.config.ProxyConfig;
import io.loligo.server.adapt.AdaptationDirectives;
import io.loligo.server.adapt.AdaptationSettings;
import io.loligo.server.adapt.IcapService;
import io.loligo.server.adapt.IcapService.Overload;
import io.loligo.server.boot.Features;
import io.loligo.server.boot.FileConfigSource;
import io.loligo.server.tls.TlsVersion;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Lines about ICAP services. */
class AdaptationLinesTest {
  private static final String SERVICE = "icap_service a reqmod_precache icap://h/p";

  private static ConfigResult load(String... lines) {
    String text = "http_port 3128\nicap_enable on\n" + String.join("\n", lines) + "\n";
    return Features.reader(new FileConfigSource()).readText("squid.conf", text);
  }

  private static ProxyConfig config(String... lines) {
    ConfigResult result = load(lines);
    assertThat(result.errors()).isEmpty();
    return result.config();
  }

  private static IcapService service(String line) {
    return config(line).get(AdaptationDirectives.ICAP_SERVICE).get("a");
  }

  @Test
  void aServiceHasDefaults() {
    IcapService service = service("icap_service a respmod_precache icap://host/path?q=1");
    assertThat(service.responses()).isTrue();
    assertThat(service.host()).isEqualTo("host");
    assertThat(service.port()).isEqualTo(1344);
    assertThat(service.uri()).isEqualTo("icap://host/path?q=1");
    assertThat(service.bypass()).isFalse();
    assertThat(service.routing()).isFalse();
    assertThat(service.onOverload()).isEqualTo(Overload.WAIT);
    assertThat(service.maxConnections()).isEqualTo(-1);
  }

  @Test
  void aServiceHasOptions() {
    IcapService service =
        service(
            "icap_service a reqmod_precache bypass=1 icap://[::1]:99/p max-conn=7 ipv6=on"
                + " routing=on connection-encryption=off");
    assertThat(service.responses()).isFalse();
    assertThat(service.host()).isEqualTo("::1");
    assertThat(service.port()).isEqualTo(99);
    assertThat(service.bypass()).isTrue();
    assertThat(service.routing()).isTrue();
    assertThat(service.onOverload()).isEqualTo(Overload.BYPASS);
    assertThat(service.maxConnections()).isEqualTo(7);
    assertThat(service("icap_service a reqmod_precache 1 icap://h/p on-overload=force"))
        .returns(true, IcapService::bypass)
        .returns(Overload.FORCE, IcapService::onOverload);
  }

  @Test
  void optionsOfTlsBelongToSecureServices() {
    IcapService service =
        service("icap_service a reqmod_precache icaps://h/p tls-domain=other tls-min-version=1.3");
    assertThat(service.port()).isEqualTo(11_344);
    assertThat(service.tls().serverName()).isEqualTo("other");
    assertThat(service.tls().options().versions()).containsExactly(TlsVersion.TLS_1_3);
    assertThat(service("icap_service a reqmod_precache icaps://h:7/p").tls().serverName())
        .isEqualTo("h");
    assertThat(service("icap_service a reqmod_precache icap://h/p").tls()).isNull();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "icap_service a reqmod_precache",
        "icap_service a reqmod_postcache icap://h/p",
        "icap_service a both icap://h/p",
        "icap_service a reqmod_precache icap://h:0/p",
        "icap_service a reqmod_precache icap://h:70000/p",
        "icap_service a reqmod_precache icap:///p",
        "icap_service a reqmod_precache http://h/p",
        "icap_service a reqmod_precache icaps://h/p tls-domain=",
        "icap_service a reqmod_precache icaps://h/p tls-min-version=9",
        "icap_service a reqmod_precache icaps://h/p tls-no-such=1",
        "icap_service a reqmod_precache ecap://h/p",
        "icap_service a reqmod_precache icap://h/p bypass=maybe",
        "icap_service a reqmod_precache icap://h/p bypass=on bypass=on",
        "icap_service a reqmod_precache icap://h/p on-overload=no",
        "icap_service a reqmod_precache icap://h/p max-conn=-1",
        "icap_service a reqmod_precache icap://h/p tls-cafile=/x",
        "icap_service a reqmod_precache icap://h/p routing=perhaps",
        "icap_service a reqmod_precache icap://h/p other=1",
        "icap_service a reqmod_precache bypass=on max-conn=1",
        "adaptation_access nobody allow all",
        "adaptation_access nobody",
        "adaptation_service_set s nobody",
        "adaptation_service_set s",
        "adaptation_meta X 1",
        "adaptation_meta X: 1 all",
        "adaptation_meta X \"1 all",
        "adaptation_meta X \"%nosuchcode\" all",
        "adaptation_meta Encapsulated 1 all",
        "adaptation_masterx_shared_names X-A:",
        "adaptation_service_iteration_limit 0",
        "icap_service_failure_limit many",
        "icap_service_failure_limit 1 for 5 seconds",
        "icap_client_username_header a:b",
      })
  void wrongLinesStopTheStart(String line) {
    assertThat(load(line).errors()).extracting(ConfigProblem::line).containsExactly(3);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "icap_service a respmod_precache icap://h/p|a name of its own",
        "adaptation_access a allow nobody|the name of an ACL",
        "adaptation_service_set a a|a name of its own",
        "adaptation_service_set s a missing|the name of an icap_service",
      })
  void namesAreChecked(String line, String expected) {
    assertThat(load(SERVICE, line).errors())
        .singleElement()
        .extracting(ConfigProblem::text)
        .asString()
        .contains(expected);
  }

  @Test
  void aGroupHasServicesOfOnePoint() {
    String other = "icap_service b respmod_precache icap://h/p";
    assertThat(load(SERVICE, other, "adaptation_service_chain c a b").errors()).hasSize(1);
  }

  @Test
  void oldNamesAreRead() {
    ProxyConfig config = config(SERVICE, "icap_class c a", "icap_access c allow all");
    List<AdaptationSettings.Rule> rules = config.get(AdaptationDirectives.ADAPTATION_ACCESS);
    assertThat(rules).hasSize(1);
    assertThat(rules.get(0).group().name()).isEqualTo("c");
    assertThat(rules.get(0).group().services()).hasSize(1);
  }

  @Test
  void aServiceMayBeDefinedBelowItsRules() {
    ProxyConfig config =
        config("adaptation_access a deny CONNECT", "adaptation_access a allow all", SERVICE);
    assertThat(config.get(AdaptationDirectives.ADAPTATION_ACCESS)).hasSize(1);
  }

  @Test
  void anAclAboutTheResponseOfARequestDrawsAWarning() {
    ConfigResult result =
        load(SERVICE, "acl html rep_mime_type text/html", "adaptation_access a allow html");
    assertThat(result.errors()).isEmpty();
    assertThat(result.warnings())
        .anyMatch(one -> one.text().contains("the response, which has not arrived"));
  }

  @Test
  void metaValuesMayHaveBlanks() {
    List<AdaptationSettings.Meta> meta =
        config("adaptation_meta X-A \"two \\\"words\" all", "adaptation_meta X-B one all")
            .get(AdaptationDirectives.META);
    assertThat(meta)
        .extracting(AdaptationSettings.Meta::value)
        .containsExactly("two \"words", "one");
  }

  @Test
  void withoutIcapTheLinesHaveNoEffect() {
    String text = "http_port 3128\n" + SERVICE + "\nadaptation_access nobody allow all\n";
    ConfigResult result = Features.reader(new FileConfigSource()).readText("squid.conf", text);
    assertThat(result.errors()).isEmpty();
    assertThat(result.warnings()).filteredOn(one -> one.text().contains("ICAP is off")).hasSize(2);
    assertThat(AdaptationSettings.of(result.config(), 1, 1, 1)).isNull();
  }
}
