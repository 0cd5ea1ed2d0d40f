{# A cell as `unmask measure` reads it: text without spaces around it, NULL where it is missing. #}
{% macro cell(name) -%}
    {%- set mark = adapter.quote("x")[0] -%}
    {%- set quoted = adapter.quote(name | replace(mark, mark ~ mark)) -%}
    {%- set read -%} trim(cast({{ quoted }} as {{ dbt.type_string() }})) {%- endset -%}
    case when {{ read }} in (
        {%- for text in var("unmask_missing", ["", "?", "NA", "NULL"]) -%}
            {{ dbt.string_literal(dbt.escape_single_quotes(text)) }}{{ ", " if not loop.last }}
        {%- endfor -%}
    ) then null else {{ read }} end
{%- endmacro %}

{# The groups of rows with equal cells in the quasi-identifiers: `people`, and `different_values` of a sensitive column.

   Missing cells equal each other. Rows that are `*` in every quasi-identifier were suppressed, and count nowhere.
   With `person_key`, the rows of one person count once, and rows without a key are a person each. A missing or
   suppressed sensitive value is no value beside others, so that no test passes where `unmask measure` says otherwise. #}
{% macro groups(model, quasi, sensitive=none, person_key=none) %}
    {%- if quasi is string or not quasi -%}
        {{ exceptions.raise_compiler_error("quasi must be a list of at least one column; got " ~ (quasi or "none") ~ ". Write quasi: [age, sex]") }}
    {%- endif -%}
    select
        {% if person_key is none -%}
        count(*)
        {%- else -%}
        count(distinct person) + sum(case when person is null then 1 else 0 end)
        {%- endif %} as people
        {%- if sensitive is not none %},
        case when count(distinct sensitive) = 0 then 1 else count(distinct sensitive) end as different_values
        {%- endif %}
    from (
        select
            {%- for name in quasi %}
            {{ unmask.cell(name) }} as q{{ loop.index0 }}{{ "," if not loop.last or sensitive is not none or person_key is not none }}
            {%- endfor %}
            {%- if sensitive is not none %}
            nullif({{ unmask.cell(sensitive) }}, '*') as sensitive{{ "," if person_key is not none }}
            {%- endif %}
            {%- if person_key is not none %}
            {{ unmask.cell(person_key) }} as person
            {%- endif %}
        from {{ model }}
    ) as cells
    where {% for _ in quasi %}coalesce(q{{ loop.index0 }}, '') <> '*'{{ " or " if not loop.last }}{% endfor %}
    group by {% for _ in quasi %}q{{ loop.index0 }}{{ ", " if not loop.last }}{% endfor %}
{% endmacro %}

{# A line with the number of groups and people that a condition concerns, and the extremes; no line where there are none.

   Counts only: a test that fails and stores its failures stores no cell of a record. #}
{% macro broken_groups(groups, condition, extremes) %}
    select count(*) as broken_groups, sum(people) as people, {{ extremes }}
    from ({{ groups }}) as found
    where {{ condition }}
    having count(*) > 0
{% endmacro %}

{# A number of a test's arguments between two limits, or an error that names it. #}
{% macro within(name, value, least, most, example) %}
    {%- if value is not number or value is boolean or value < least or (most is not none and value > most) -%}
        {{ exceptions.raise_compiler_error(name ~ " must be at least " ~ least ~ (" and at most " ~ most if most is not none else "") ~ "; got " ~ value ~ ". Write " ~ name ~ ": " ~ example) }}
    {%- endif -%}
    {{ return(value) }}
{% endmacro %}
