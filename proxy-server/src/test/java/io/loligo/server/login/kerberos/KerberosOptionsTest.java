package io.loligo.server.login.kerberos;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class KerberosOptionsTest {
  private static KerberosOptions read(String... words) {
    return KerberosOptions.of(List.of(words), Map.of());
  }

  @Test
  void readsTheOptionsOfTheProgram() {
    KerberosOptions all = read("-di", "-r", "-k", "FILE:/x.keytab", "-sHTTP/a.test");
    assertThat(all).isEqualTo(new KerberosOptions("/x.keytab", "HTTP/a.test", true, null, null));
    assertThat(read()).isEqualTo(new KerberosOptions("/etc/krb5.keytab", null, false, null, null));
    assertThat(read("-s", "GSS_C_NO_NAME").service()).isNull();
    assertThat(read("-t", "none").idle()).isEqualTo("-t");
    Map<String, String> environment = Map.of("KRB5_KTNAME", "FILE:/y.keytab");
    assertThat(KerberosOptions.of(List.of(), environment).keytab()).isEqualTo("/y.keytab");
  }

  @Test
  void namesWhatIsNoOption() {
    assertThat(read("-x").wrong()).isEqualTo("-x");
    assertThat(read("word").wrong()).isEqualTo("word");
    assertThat(read("-k").wrong()).isEqualTo("-k");
    assertThat(read("-").wrong()).isEqualTo("-");
  }
}
