package io.loligo.server.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.loligo.core.config.ConfigProblem;
import io.loligo.core.config.ConfigResult;
import io.loligo.core.config.HostPort;
import io.loligo.server.config.TextSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ClusterReaderTest {
  private static final String LISTEN = "loligo_cluster web listen=127.0.0.1:7800 ";
  private static final String TLS = "loligo_cluster_tls cert=a.pem key=b.pem ca=c.pem\n";

  private static ConfigResult load(String lines) {
    return TextSource.load(lines + "\nhttp_port 3128\n");
  }

  private static ClusterLine read(String lines) {
    ConfigResult read = load(lines);
    assertThat(read.errors()).isEmpty();
    return read.config().get(ClusterDirectives.CLUSTER);
  }

  @Test
  void readsAList() {
    ClusterLine line = read(LISTEN + "members=127.0.0.1:7800,[::1]:7900 mode=purge");
    assertThat(line.name()).isEqualTo("web");
    assertThat(line.listen()).isEqualTo(new HostPort("127.0.0.1", 7800));
    assertThat(line.kind()).isEqualTo(ClusterLine.Kind.LISTED);
    assertThat(line.members())
        .containsExactly(new HostPort("127.0.0.1", 7800), new HostPort("::1", 7900));
    assertThat(line.mode()).isEqualTo(ClusterMode.PURGE);
    assertThat(line.bodies()).isEqualTo(7801);
    assertThat(line.weight()).isEqualTo(100);
    assertThat(line.connections()).isEqualTo(1_024);
    ClusterLine shares = read(LISTEN + "members=127.0.0.1:7800 mode=share connections=50");
    assertThat(shares.mode()).isEqualTo(ClusterMode.SHARE);
    assertThat(shares.connections()).isEqualTo(50);
    assertThat(shares.copies()).isEqualTo(1);
    assertThat(read(LISTEN + "members=127.0.0.1:7800 mode=share copies=2").copies()).isEqualTo(2);
  }

  @Test
  void readsANameAndAFile() {
    ClusterLine named = read(TLS + LISTEN + "members=dns:proxy.svc:7800 mode=purge bodies=9000");
    assertThat(named.kind()).isEqualTo(ClusterLine.Kind.DNS);
    assertThat(named.place()).isEqualTo("proxy.svc:7800");
    assertThat(named.bodies()).isEqualTo(9000);
    ClusterLine filed = read(TLS + LISTEN + "members=file:/etc/members mode=purge weight=3");
    assertThat(filed.kind()).isEqualTo(ClusterLine.Kind.FILE);
    assertThat(filed.place()).isEqualTo("/etc/members");
    assertThat(filed.weight()).isEqualTo(3);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "a/b listen=127.0.0.1:7800 members=127.0.0.1:7800 mode=purge|the NAME of the cluster",
        "a members=127.0.0.1:7800 mode=purge|listen=ADDRESS:PORT",
        "a listen=7800 members=127.0.0.1:7800 mode=purge|ADDRESS:PORT",
        "a listen=127.0.0.1:7800 mode=purge|members=",
        "a listen=127.0.0.1:7800 members=127.0.0.1 mode=purge|ADDRESS:PORT",
        "a listen=127.0.0.1:7800 members=127.0.0.1:1|mode=purge or share",
        "a listen=127.0.0.1:7800 members=127.0.0.1:1 mode=one|mode=purge or mode=share",
        "a listen=127.0.0.1:7800 members=127.0.0.1:1 mode=purge weight=0|from 1 to 1000",
        "a listen=127.0.0.1:7800 members=127.0.0.1:1 mode=purge bodies=7800|another one",
        "a listen=127.0.0.1:7800 members=127.0.0.1:1 mode=share copies=3|from 1 to 2",
        "a listen=127.0.0.1:7800 members=127.0.0.1:1 mode=purge copies=2|mode=share",
        "a listen=127.0.0.1:7800 members=127.0.0.1:1 mode=purge secure|listen=, members=",
        "a listen=127.0.0.1:7800 members=dns:x mode=purge|ADDRESS:PORT",
        "a listen=127.0.0.1:7800 members=file: mode=purge|file:PATH",
        "a listen=127.0.0.1:7800 members=0.0.0.0:7800 mode=purge insecure|not a wildcard",
        "a listen=127.0.0.1:7800 members=[::]:7800 mode=purge insecure|not a wildcard",
      })
  void namesTheWrongWord(String values, String expected) {
    assertThat(load("loligo_cluster " + values).errors())
        .isNotEmpty()
        .extracting(ConfigProblem::text)
        .anySatisfy(text -> assertThat(text).contains("squid.conf:1", expected));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "listen=10.0.0.1:7800 members=127.0.0.1:7800",
        "listen=127.0.0.1:7800 members=127.0.0.1:7800,10.0.0.2:7800",
        "listen=127.0.0.1:7800 members=dns:localhost:7800",
        "listen=127.0.0.1:7800 members=file:/etc/members",
        "listen=0.0.0.0:7800 members=127.0.0.1:7800",
      })
  void wantsCertificatesBeyondLoopback(String places) {
    String line = "loligo_cluster web " + places + " mode=purge";
    assertThat(load(line).errors())
        .singleElement()
        .satisfies(one -> assertThat(one.text()).contains("loligo_cluster_tls"));
    assertThat(load(line + " insecure").errors()).isEmpty();
    assertThat(load(TLS + line).errors()).isEmpty();
    assertThat(load(TLS + line + " insecure").errors()).hasSize(1);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "loligo_cluster_tls cert=a key=b ca=c",
        "loligo_cluster_tls cert=a key=b",
        "loligo_cluster_tls cert=a key=b ca=",
        "loligo_cluster_tls cert=a key=b ca=c cafile=d",
      })
  void refusesALineOfCertificatesWithoutItsFilesOrItsCluster(String line) {
    assertThat(load(line).errors()).isNotEmpty();
  }

  @Test
  void refusesASecondCluster() {
    String line = LISTEN + "members=127.0.0.1:7800 mode=purge\n";
    assertThat(load(line + line).errors()).hasSize(1);
  }

  @Test
  void refusesASecondCertificate() {
    String line = LISTEN + "members=10.0.0.1:7800 mode=purge\n";
    assertThat(load(TLS + TLS + line).errors())
        .singleElement()
        .satisfies(one -> assertThat(one.text()).contains("squid.conf:2", "one line"));
  }
}
