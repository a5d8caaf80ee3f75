/** An application of Spring Boot behind Loligo, as an example: docs/recipes.md. */
package example;
