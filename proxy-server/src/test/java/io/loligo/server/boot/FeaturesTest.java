package io.loligo.server.boot;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaField;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import io.loligo.core.config.Feature;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

class FeaturesTest {
  @Test
  void listsEveryFeatureThatAClassDeclares() {
    Set<Object> declared =
        new ClassFileImporter()
                .withImportOption(new ImportOption.DoNotIncludeTests())
                .importPackages("io.loligo")
                .stream()
                .flatMap(type -> type.getFields().stream())
                .filter(field -> field.getRawType().isEquivalentTo(Feature.class))
                .filter(field -> field.getName().equals("FEATURE"))
                .map(FeaturesTest::value)
                .collect(Collectors.toSet());
    assertThat(declared).hasSizeGreaterThan(10);
    assertThat(Features.directives().features())
        .containsExactlyInAnyOrderElementsOf(declared.stream().map(Feature.class::cast).toList());
  }

  private static Object value(JavaField field) {
    try {
      return field.reflect().get(null);
    } catch (IllegalAccessException e) {
      throw new AssertionError(field.getFullName() + " is not public", e);
    }
  }
}
