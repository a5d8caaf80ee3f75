package io.loligo.server.login;

import io.loligo.core.config.Line;
import io.loligo.core.config.LineReport.Verdict;
import io.loligo.core.config.Option;
import io.loligo.core.config.Reading;
import io.loligo.core.config.TimeWords;
import io.loligo.server.login.digest.DigestAlgorithm;
import io.loligo.server.login.digest.DigestNonceRules;
import io.loligo.server.login.digest.DigestUsers;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Reads {@code auth_param digest} lines. Confined to one thread. */
final class DigestLines extends SchemeLines {
  private static final DigestNonceRules USUAL = DigestNonceRules.USUAL;
  private static final int MOST = 99_999_998;

  private String realm = "";
  private boolean utf8;
  private boolean md5 = true;
  private boolean postWorkaround;
  private long maxMillis = USUAL.maxMillis();
  private long maxCount = USUAL.maxCount();
  private boolean checksCount = USUAL.checksCount();
  private boolean strict = USUAL.strict();
  private long collectMillis = USUAL.collectMillis();

  DigestLines(Reading reading) {
    super("digest", reading);
  }

  @Override
  boolean own(Line line, String parameter, List<String> words) {
    switch (parameter) {
      case "realm" -> realm = unquoted(String.join(" ", words));
      case "utf8" -> utf8 = flag(line, words);
      case "loligo_md5" -> md5 = flag(line, words);
      case "post_workaround" -> postWorkaround = flag(line, words);
      case "check_nonce_count" -> checksCount = flag(line, words);
      case "nonce_strictness" -> strict = flag(line, words);
      case "nonce_max_duration" -> maxMillis = millis(line, words, maxMillis);
      case "nonce_garbage_interval" -> collectMillis = millis(line, words, collectMillis);
      case "nonce_max_count" -> {
        int most = new Option(parameter, words.get(0)).number(MOST);
        if (most < 1) {
          report().error(line, words.get(0), "a number from 1 to " + MOST, "");
        } else {
          maxCount = most;
        }
      }
      case "keep_alive" -> report().verdict(line, Verdict.WITHOUT_EFFECT, "not for digest");
      default -> {
        return false;
      }
    }
    return true;
  }

  private long millis(Line line, List<String> words, long before) {
    long seconds = TimeWords.seconds(line, words, report());
    return seconds < 0 ? before : TimeUnit.SECONDS.toMillis(seconds);
  }

  @Override
  String parameters() {
    return ", realm, utf8, loligo_md5, post_workaround, check_nonce_count, nonce_strictness,"
        + " nonce_max_count, nonce_max_duration or nonce_garbage_interval";
  }

  @Override
  boolean isNative(List<String> words) {
    return DigestSettings.readsFile(words);
  }

  @Override
  boolean isUsable(Line line, List<String> words) {
    String file = DigestSettings.file(words);
    if (file == null) {
      report().error(line, "", "digest_file_auth [-c] FILE", "");
      return false;
    }
    if (file(file) == null) {
      report().restricts(line, file, "the file of users cannot be read: " + file);
      return false;
    }
    return true;
  }

  @Override
  @Nullable SchemeSettings settings() {
    if (realm.isEmpty()) {
      return null;
    }
    DigestNonceRules nonces =
        new DigestNonceRules(maxMillis, maxCount, checksCount, strict, collectMillis);
    return new DigestSettings(
        program(), realm, utf8, md5, postWorkaround, nonces, extras(), helper());
  }

  @Override
  void check(Line programLine) {
    if (realm.isEmpty()) {
      report().restricts(programLine, "digest", "it needs a line: auth_param digest realm TEXT");
    }
    String file = isNative(program()) ? DigestSettings.file(program()) : null;
    String text = file == null ? null : file(file);
    if (text == null) {
      if (!md5) {
        report().error(programLine, "loligo_md5 off", "digest_file_auth: a program knows MD5", "");
      }
      return;
    }
    DigestUsers users = DigestUsers.of(text, realm, DigestSettings.hasHashes(program()));
    if (!users.remark().isEmpty()) {
      report().warning(programLine, "", "", users.remark());
    }
    if (!md5 && !users.offered().contains(DigestAlgorithm.SHA_256)) {
      report()
          .restricts(
              programLine, "loligo_md5 off", "a user has neither a password nor a SHA-256 hash");
    }
  }
}
