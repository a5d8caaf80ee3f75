package io.loligo.server.login.kerberos;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import org.junit.jupiter.api.Test;

class KeytabTest {
  private static String keytab(String... principals) throws IOException {
    ByteArrayOutputStream file = new ByteArrayOutputStream();
    DataOutputStream out = new DataOutputStream(file);
    out.writeShort(0x0502);
    out.writeInt(-3); // a hole
    out.write(new byte[3]);
    for (String principal : principals) {
      ByteArrayOutputStream entry = new ByteArrayOutputStream();
      DataOutputStream fields = new DataOutputStream(entry);
      String[] parts = principal.substring(0, principal.indexOf('@')).split("/", -1);
      fields.writeShort(parts.length);
      fields.writeUTF(principal.substring(principal.indexOf('@') + 1));
      for (String part : parts) {
        fields.writeUTF(part);
      }
      fields.write(new byte[30]); // type, time, number and key
      out.writeInt(entry.size());
      out.write(entry.toByteArray());
    }
    return file.toString(ISO_8859_1);
  }

  @Test
  void namesItsPrincipals() throws IOException {
    Keytab keytab = Keytab.of(keytab("HTTP/a.test@R", "HTTP/a.test@R", "HTTP/b.test@R", "x@R"));
    assertThat(keytab.principals()).containsExactly("HTTP/a.test@R", "HTTP/b.test@R", "x@R");
    assertThat(keytab.principal("HTTP/b.test")).isEqualTo("HTTP/b.test@R");
    assertThat(keytab.principal("HTTP/b.test@R")).isEqualTo("HTTP/b.test@R");
    assertThat(keytab.principal("HTTP/b")).isNull();
    assertThat(keytab.principal("HTTP/b.test@S")).isNull();
    assertThat(Keytab.of(keytab()).principals()).isEmpty();
  }

  @Test
  void otherFilesAreNone() throws IOException {
    assertThat(Keytab.of("")).isNull();
    assertThat(Keytab.of("bob:secret")).isNull();
    String whole = keytab("HTTP/a.test@R");
    for (int length = 14; length < whole.length(); length++) {
      assertThat(Keytab.of(whole.substring(0, length))).as("%d bytes", length).isNull();
    }
    String endless = whole.substring(0, 9) + "\u0080\u0000\u0000\u0000";
    assertThat(Keytab.of(endless)).isNull();
  }
}
