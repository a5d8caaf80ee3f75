package io.loligo.core.message;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.HexFormat;
import java.util.Locale;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class IpTextTest {
  @ParameterizedTest
  @CsvSource({
    "::, ::",
    "0:0:0:0:0:0:0:0, ::",
    "0::1, ::1",
    "1::, 1::",
    "1:0:0:0:0:0:0:0, 1::",
    "2001:DB8:0:0:1:0:0:1, 2001:db8::1:0:0:1",
    "2001:db8:0:1:0:0:0:1, 2001:db8:0:1::1",
    "2001:db8::1:1:1:1:1, 2001:db8:0:1:1:1:1:1",
    "1:2:3:4:5:6:7:8, 1:2:3:4:5:6:7:8",
    "0:2:3:4:5:6:7:0, 0:2:3:4:5:6:7:0",
    "::192.0.2.1, ::c000:201",
    "::ffff:192.0.2.1, 192.0.2.1",
    "::ffff:c000:0201, 192.0.2.1",
    "192.0.2.1, 192.0.2.1",
    "example.com, example.com",
    "1.2.3, 1.2.3"
  })
  void oneSpellingOfEachAddress(String text, String normal) {
    assertThat(IpText.normal(text)).isEqualTo(normal);
  }

  @Property
  void theSameAddressWhicheverWayItIsWritten(@ForAll @Size(16) byte[] bytes) {
    byte[] zeros = bytes.clone();
    Arrays.fill(zeros, bytes[0] & 15, 16, (byte) 0);
    for (byte[] each : new byte[][] {bytes, zeros}) {
      String full = HexFormat.of().formatHex(each).replaceAll("(....)(?=.)", "$1:");
      String normal = IpText.normal(full);
      assertThat(IpText.parse(normal)).isEqualTo(IpText.parse(full));
      assertThat(IpText.normal(normal))
          .isEqualTo(normal)
          .isEqualTo(normal.toLowerCase(Locale.ROOT));
      assertThat(IpText.normal(full.toUpperCase(Locale.ROOT))).isEqualTo(normal);
    }
  }
}
