package io.loligo.server.wire.acl;

import static org.assertj.core.api.Assertions.assertThat;

import io.loligo.core.acl.AclList;
import io.loligo.core.acl.AclVerdict;
import io.loligo.core.acl.AclVerdict.Kind;
import io.loligo.core.config.ConfigResult;
import io.loligo.core.config.ConfigSource;
import io.loligo.server.boot.Features;
import io.loligo.server.exchange.settings.AccessDirectives;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/**
 * Random files of access rules: the compiled lists decide random requests as the slow model does,
 * and by the same line. More with {@code -Dloligo.acl.files=100000}, others with {@code
 * -Dloligo.acl.seed=N}; a failure names its seed.
 */
class RandomAclFilesTest {
  private static final int FILES = Integer.getInteger("loligo.acl.files", 1000);
  private static final long SEED = Long.getLong("loligo.acl.seed", 1);
  private static final int REQUESTS = 25;
  private static final long MONDAY = Instant.parse("2026-06-01T00:00:00Z").toEpochMilli();

  @Test
  void areJudgedAsTheModelDoes() {
    int allowed = 0;
    int byALine = 0;
    for (int i = 0; i < FILES; i++) {
      long seed = SEED + i;
      AclFileMaker maker = new AclFileMaker(seed, false, List.of(3128, 8080), "/v");
      AclFile file = maker.next();
      AclList compiled = compile(file, seed);
      SlowAclModel model = new SlowAclModel(file, ZoneOffset.UTC);
      for (int j = 0; j < REQUESTS; j++) {
        SampleRequest request = maker.request(MONDAY);
        SlowAclModel.Verdict expected = model.judge(request);
        check(compiled, request, expected, "seed " + seed + ":\n" + file + "\n" + request);
        allowed += expected.allowed() ? 1 : 0;
        byALine += expected.line() > 0 ? 1 : 0;
      }
    }
    // a generator whose rules match nothing would find nothing
    assertThat((double) allowed / FILES / REQUESTS).isBetween(0.25, 0.75);
    assertThat((double) byALine / FILES / REQUESTS).isGreaterThan(0.5);
  }

  private static void check(
      AclList compiled, SampleRequest request, SlowAclModel.Verdict expected, String what) {
    AclVerdict verdict = compiled.evaluate(request.input(true));
    assertThat(verdict.allowed()).as(what).isEqualTo(expected.allowed());
    if (expected.line() > 0) {
      assertThat(verdict.source()).as(what).isEqualTo("f:" + expected.line());
    }
    AclVerdict before = compiled.evaluate(request.input(false));
    if (before.kind() != Kind.NEEDS_DESTINATION) {
      assertThat(before).as("without addresses, %s", what).isEqualTo(verdict);
    } else {
      assertThat(compiled.needsDestination()).as(what).isTrue();
    }
  }

  private static AclList compile(AclFile file, long seed) {
    ConfigResult result =
        Features.reader(new Files(file.values()))
            .readText("f", file.text() + "http_port 127.0.0.1:0\n");
    assertThat(result.errors()).as("seed %s: %s", seed, file).isEmpty();
    return result.config().get(AccessDirectives.HTTP_ACCESS);
  }

  private record Files(Map<String, String> files) implements ConfigSource {
    @Override
    public String read(String path) {
      return files.get(path);
    }

    @Override
    public List<String> expand(String pattern) {
      return List.of();
    }

    @Override
    public List<byte[]> resolve(String host) {
      return List.of();
    }

    @Override
    public ZoneId zone() {
      return ZoneOffset.UTC;
    }
  }
}
