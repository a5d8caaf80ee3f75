package io.loligo.server.jmx;

import io.loligo.server.helper.HelperCount;
import io.loligo.server.helper.HelperNumbers;
import io.loligo.server.login.LoginCount;
import io.loligo.server.login.LoginCounts;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Supplier;

/** The beans of helper programs and of logins. Thread-safe: any thread. */
final class HelperBeans {
  private HelperBeans() {}

  record Helpers(Supplier<List<HelperNumbers>> programs) implements HelpersMXBean {
    @Override
    public Map<String, Map<String, Long>> getPrograms() {
      Map<String, Map<String, Long>> all = new TreeMap<>();
      for (HelperNumbers one : programs.get()) {
        Map<String, Long> numbers = new TreeMap<>();
        for (HelperCount count : HelperCount.values()) {
          numbers.put(key(count), one.value(count));
        }
        all.put(one.name(), numbers);
      }
      return all;
    }

    @Override
    public Map<String, String> getTexts() {
      Map<String, String> texts = new TreeMap<>();
      for (HelperCount count : HelperCount.values()) {
        texts.put(key(count), count.text());
      }
      return texts;
    }

    private static String key(HelperCount count) {
      return count == HelperCount.REPLY_NANOS ? "reply_nanos" : count.key();
    }
  }

  record Logins(Supplier<List<LoginCounts>> schemes) implements LoginsMXBean {
    @Override
    public Map<String, Map<String, Long>> getSchemes() {
      Map<String, Map<String, Long>> all = new TreeMap<>();
      for (LoginCounts one : schemes.get()) {
        Map<String, Long> numbers = new TreeMap<>();
        for (LoginCount count : LoginCount.values()) {
          numbers.put(key(count), one.value(count));
        }
        all.put(one.scheme(), numbers);
      }
      return all;
    }

    @Override
    public Map<String, String> getTexts() {
      Map<String, String> texts = new TreeMap<>();
      for (LoginCount count : LoginCount.values()) {
        texts.put(key(count), count.text());
      }
      return texts;
    }

    private static String key(LoginCount count) {
      return count == LoginCount.CHECK_NANOS ? "check_nanos" : count.key();
    }
  }
}
