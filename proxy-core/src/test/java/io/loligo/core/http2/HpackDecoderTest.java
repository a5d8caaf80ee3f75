package io.loligo.core.http2;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Field blocks of RFC 7541 appendix C, and invalid ones. */
class HpackDecoderTest {
  private final HpackDecoder decoder = new HpackDecoder(4_096, new HpackDecoder.Room());

  private List<String> decode(String hex) {
    return Decoded.of(decoder, hex);
  }

  @Test
  void decodesRequestsWithoutHuffmanCode() {
    assertThat(decode("8286 8441 0f77 7777 2e65 7861 6d70 6c65 2e63 6f6d"))
        .containsExactly(
            ":method: GET", ":scheme: http", ":path: /", ":authority: www.example.com");
    assertThat(decode("8286 84be 5808 6e6f 2d63 6163 6865"))
        .containsExactly(
            ":method: GET",
            ":scheme: http",
            ":path: /",
            ":authority: www.example.com",
            "cache-control: no-cache");
    assertThat(decode("8287 85bf 400a 6375 7374 6f6d 2d6b 6579 0c63 7573 746f 6d2d 7661 6c75 65"))
        .containsExactly(
            ":method: GET",
            ":scheme: https",
            ":path: /index.html",
            ":authority: www.example.com",
            "custom-key: custom-value");
  }

  @Test
  void decodesRequestsWithHuffmanCode() {
    assertThat(decode("8286 8441 8cf1 e3c2 e5f2 3a6b a0ab 90f4 ff"))
        .contains(":authority: www.example.com");
    assertThat(decode("8286 84be 5886 a8eb 1064 9cbf")).contains("cache-control: no-cache");
    assertThat(decode("8287 85bf 4088 25a8 49e9 5ba9 7d7f 8925 a849 e95b b8e8 b4bf"))
        .contains(":path: /index.html", "custom-key: custom-value");
  }

  @Test
  void dropsTheOldestEntriesOfASmallTable() {
    HpackDecoder small = new HpackDecoder(256, new HpackDecoder.Room());
    assertThat(
            Decoded.of(
                small,
                "4882 6402 5885 aec3 771a 4b61 96d0 7abe 9410 54d4 44a8 2005 9504 0b81 66e0 82a6"
                    + " 2d1b ff6e 919d 29ad 1718 63c7 8f0b 97c8 e9ae 82ae 43d3"))
        .containsExactly(
            ":status: 302",
            "cache-control: private",
            "date: Mon, 21 Oct 2013 20:13:21 GMT",
            "location: https://www.example.com");
    assertThat(Decoded.of(small, "4883 640e ffc1 c0bf"))
        .containsExactly(
            ":status: 307",
            "cache-control: private",
            "date: Mon, 21 Oct 2013 20:13:21 GMT",
            "location: https://www.example.com");
    assertThat(
            Decoded.of(
                small,
                "88c1 6196 d07a be94 1054 d444 a820 0595 040b 8166 e084 a62d 1bff c05a 839b d9ab"
                    + " 77ad 94e7 821d d7f2 e6c7 b335 dfdf cd5b 3960 d5af 2708 7f36 72c1 ab27 0fb5"
                    + " 291f 9587 3160 65c0 03ed 4ee5 b106 3d50 07"))
        .containsExactly(
            ":status: 200",
            "cache-control: private",
            "date: Mon, 21 Oct 2013 20:13:22 GMT",
            "location: https://www.example.com",
            "content-encoding: gzip",
            "set-cookie: foo=ASDJKHQKBZXOQWEOPIUAXQWEOIU; max-age=3600; version=1");
  }

  @Test
  void aLiteralWithoutIndexingIsNotAdded() {
    assertThat(decode("040c 2f73 616d 706c 652f 7061 7468")).containsExactly(":path: /sample/path");
    assertThat(decode("1008 7061 7373 776f 7264 0673 6563 7265 74"))
        .containsExactly("password: secret");
    assertThat(decode("be")).as("the first dynamic entry").isNull();
  }

  @Test
  void aNewSizeOfTheTableHoldsFromTheStartOfABlock() {
    assertThat(decode("400a 6375 7374 6f6d 2d6b 6579 0c63 7573 746f 6d2d 7661 6c75 65"))
        .isNotNull();
    assertThat(decode("be")).containsExactly("custom-key: custom-value");
    assertThat(decode("20 3fe1 1f 82")).containsExactly(":method: GET");
    assertThat(decode("be")).as("the table was emptied").isNull();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "80", // index 0
        "be", // an index beyond both tables
        "ff ff ff ff ff 0f", // an integer that is too large
        "82 20", // a new size after a field
        "3f e2 1f", // a larger table than allowed
        "40", // a literal without its name
        "40 03 61", // a name that is cut
        "40 01 61 05 61", // a value that is cut
        "41 81 ff", // padding of a whole byte
        "41 81 18", // padding with zeros
        "41 84 ff ff ff ff" // the end symbol
      })
  void refusesInvalidBlocks(String hex) {
    assertThat(decode(hex)).isNull();
  }

  /** Names and values of all lengths, so that the table moves its bytes often. */
  @Test
  void theTableKeepsItsEntriesWhileItMovesThem() {
    Random random = new Random(7);
    List<String> newest = new ArrayList<>();
    for (int i = 0; i < 2_000; i++) {
      String name = "n" + "x".repeat(random.nextInt(40));
      String value = i + "v".repeat(random.nextInt(200));
      String hex = "40" + string(name) + string(value);
      assertThat(decode(hex)).containsExactly(name + ": " + value);
      newest.add(0, name + ": " + value);
      int index = random.nextInt(Math.min(newest.size(), 12));
      assertThat(decode(String.format("%02x", 0x80 | 62 + index)))
          .containsExactly(newest.get(index));
    }
  }

  private static String string(String text) {
    StringBuilder hex = new StringBuilder();
    byte[] latin1 = text.getBytes(ISO_8859_1);
    if (latin1.length < 127) {
      hex.append(String.format("%02x", latin1.length));
    } else {
      hex.append("7f");
      int rest = latin1.length - 127;
      for (; rest >= 128; rest >>= 7) {
        hex.append(String.format("%02x", (rest & 127) | 128));
      }
      hex.append(String.format("%02x", rest));
    }
    for (byte b : latin1) {
      hex.append(String.format("%02x", b));
    }
    return hex.toString();
  }
}
