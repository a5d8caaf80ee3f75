package io.loligo.junit;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import io.loligo.Loligo;
import java.io.IOException;
import java.lang.reflect.Constructor;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.net.URL;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * The interface for applications as committed: {@code api.txt} of a module has a line for each
 * public or protected signature. {@code -Dloligo.reference.write=true} writes it anew.
 */
class ApiFileTest {
  private static final Pattern QUALIFIED = Pattern.compile("[a-z]\\w*(\\.[a-z]\\w*)+\\.[A-Z]\\w*");

  private static List<JavaClass> types(String packageName) {
    Class<?> one = packageName.equals("io.loligo") ? Loligo.class : LoligoProxy.class;
    URL classes = one.getProtectionDomain().getCodeSource().getLocation();
    return new ClassFileImporter()
        .importUrl(classes).stream()
            .filter(type -> type.getPackageName().equals(packageName))
            .toList();
  }

  private static boolean isOpen(int modifiers) {
    return Modifier.isPublic(modifiers) || Modifier.isProtected(modifiers);
  }

  private static SortedSet<String> signatures(String packageName) {
    SortedSet<String> all = new TreeSet<>();
    for (JavaClass found : types(packageName)) {
      Class<?> type = found.reflect();
      if (!isOpen(type.getModifiers())) {
        continue;
      }
      all.add(type.toGenericString());
      for (Constructor<?> one : type.getDeclaredConstructors()) {
        add(all, one.getModifiers(), one.toGenericString());
      }
      for (Method one : type.getDeclaredMethods()) {
        if (!one.isSynthetic()) {
          add(all, one.getModifiers(), one.toGenericString());
        }
      }
      for (Field one : type.getDeclaredFields()) {
        add(all, one.getModifiers(), one.toGenericString());
      }
    }
    return all;
  }

  private static void add(SortedSet<String> all, int modifiers, String signature) {
    if (isOpen(modifiers)) {
      all.add(signature);
    }
  }

  @ParameterizedTest
  @CsvSource({"proxy-embedded, io.loligo", "proxy-junit, io.loligo.junit"})
  void isCommittedAsItIs(String module, String packageName) throws IOException {
    Path file = Path.of("..", module, "api.txt");
    String text = String.join("\n", signatures(packageName)) + "\n";
    if (Boolean.getBoolean("loligo.reference.write")) {
      Files.writeString(file, text);
    }
    assertThat(Files.readString(file)).isEqualTo(text);
  }

  @ParameterizedTest
  @CsvSource({"io.loligo", "io.loligo.junit"})
  void namesOnlyTypesOfItsOwnOfTheJdkAndOfJUnit(String packageName) {
    Stream<String> named =
        signatures(packageName).stream()
            .flatMap(line -> QUALIFIED.matcher(line).results().map(MatchResult::group));

    assertThat(named)
        .isNotEmpty()
        .allMatch(
            type ->
                type.matches(
                    "(java|io\\.loligo|io\\.loligo\\.junit|org\\.junit\\..*)\\.[A-Z].*|java\\..*"));
  }
}
